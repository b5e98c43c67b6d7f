import { markdownTable } from 'markdown-table';

import { median, spreadOf, withRange } from '../measure/statistics.ts';
import { machineLine, describeMachine } from '../report/machine.ts';
import { Progress } from '../report/progress.ts';
import type { Table } from '../report/tables.ts';
import { writePart } from '../report/write-part.ts';
import { openStage, type Stage } from '../stage/stage.ts';
import { type Scale, scalesOn } from './scales.ts';
import { type Measurement, Trial } from './trial.ts';

export interface BenchScaleOptions {
  readonly rounds: number;
  /** Whether the documentation gets what is found out. */
  readonly isWritten: boolean;
}

/**
 * Measures what a command costs while something grows: commands in flight, operators, bodies, workers.
 *
 * @throws {Error} if not each command got exactly one right answer
 */
export async function benchScale({ rounds, isWritten }: BenchScaleOptions): Promise<void> {
  console.log('A private RabbitMQ starts …');
  await using stage = await openStage({ program: 'all-operations' });
  const scales = scalesOn(stage);
  const tables: Table[] = [];
  {
    using progress = new Progress(scales.length * rounds);
    for (const scale of scales) tables.push(tableOf(scale, await measure(stage, scale, rounds, progress)));
  }
  for (const table of tables) console.log(`\n${markdownTable(table)}`);
  if (!isWritten) return;
  const made = `Made with ${rounds} rounds: the median, and in parentheses the least and the most. `;
  writePart('scale', [
    `${made}${machineLine(describeMachine(stage.brokerVersion))}.`,
    ...tables.map((table) => markdownTable(table)),
  ]);
}

/** All sizes run side by side and are measured in turn; each round begins with another. */
async function measure(
  stage: Stage,
  { title, sizes }: Scale,
  rounds: number,
  progress: Progress,
): Promise<Measurement[][]> {
  await using processes = new AsyncDisposableStack();
  const trials: Trial[] = [];
  for (const size of sizes) {
    progress.step(`${title}: ${size.label} starts`);
    trials.push(processes.use(await Trial.start(stage, size)));
  }
  const results = sizes.map((): Measurement[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (let step = 0; step < sizes.length; step += 1) {
      const index = (step + round) % sizes.length;
      progress.step(`${title}: round ${round + 1}, ${sizes[index]?.label}`);
      const trial = trials[index];
      if (trial) results[index]?.push(await trial.measure());
    }
    const costs = results.map((of) => of.at(-1)?.cpuMsPerCommand.toFixed(3)).join(', ');
    progress.done(`${title}, round ${round + 1}: ${costs} ms of CPU a command`);
  }
  for (const trial of trials) await trial.finish();
  return results;
}

function tableOf({ title, sizes }: Scale, results: readonly Measurement[][]): Table {
  const first = results[0] ?? [];
  return [
    [title, 'CPU a command', 'against the first', 'commands a second', 'memory each', 'share each'],
    ...sizes.map(({ label }, index) => {
      const measured = results[index] ?? [];
      const ratios = measured.map(
        (one, round) => one.cpuMsPerCommand / (first[round]?.cpuMsPerCommand ?? NaN),
      );
      const shares = spreadOf(measured.flatMap((one) => one.shares));
      const isAlone = measured.every((one) => one.shares.length === 1);
      return [
        label,
        `${withRange(spreadOf(measured.map((one) => one.cpuMsPerCommand)), 3)} ms`,
        median(ratios).toFixed(2),
        median(measured.map((one) => one.commandsPerSecond)).toFixed(0),
        `${median(measured.map((one) => one.memoryMib)).toFixed(0)} MiB`,
        isAlone ? '1' : `${shares.min.toFixed(2)} to ${shares.max.toFixed(2)}`,
      ];
    }),
  ];
}
