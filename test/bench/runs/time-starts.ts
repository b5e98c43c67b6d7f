import { ServiceProcess } from '../../../scripts/processes/service-process.ts';
import { takesCommands } from '../contestants/takes-commands.ts';
import { isFaultless } from '../driver/ledger.ts';
import { LoadDriver } from '../driver/load-driver.ts';
import type { Progress } from '../report/progress.ts';
import type { Stage } from '../stage/stage.ts';
import type { Starter } from './starters.ts';

const PATIENCE_MS = 60_000;

export interface StartResult {
  readonly name: string;
  readonly label: string;
  /** From the start of the process to the first answer. */
  readonly timesMs: number[];
}

/** How long a caller that has sent its command already waits for a service to start, in turns. */
export async function timeStarts(
  stage: Stage,
  starters: readonly Starter[],
  times: number,
  progress: Progress,
): Promise<StartResult[]> {
  await using declared = new AsyncDisposableStack();
  const results = starters.map(({ name, label }): StartResult => ({ name, label, timesMs: [] }));
  for (const starter of starters) {
    declared.defer(() => starter.remove());
    progress.step(`${starter.name} declares its queues`);
    // Nothing that only a first start has to do: queues, and files that the system has yet to read.
    await using process = start(starter, stage);
    await takesCommands(process, stage.amqpUrl, starter.queue);
  }
  for (let time = 1; time <= times; time += 1) {
    for (const [index, starter] of starters.entries()) {
      progress.step(`start ${time} of ${times}, ${starter.name}`);
      const elapsedMs = await timeToFirstAnswer(starter, stage);
      results[index]?.timesMs.push(elapsedMs);
      progress.done(
        `start ${time}  ${starter.name.padEnd(24)}  ${elapsedMs.toFixed(0)} ms to the first answer`,
      );
    }
  }
  return results;
}

async function timeToFirstAnswer(starter: Starter, stage: Stage): Promise<number> {
  const { dialect, workload } = starter;
  await using driver = await LoadDriver.open({
    url: stage.amqpUrl,
    dialect,
    workload,
    patienceMs: PATIENCE_MS,
  });
  const answered = driver.closedLoop({ inFlight: 1, commands: 1 });
  const startedAtMs = performance.now();
  await using process = start(starter, stage);
  await answered;
  const elapsedMs = performance.now() - startedAtMs;
  if (!isFaultless(driver.tally))
    throw new Error(`${starter.name} gave no right answer:\n${process.lastLines}`);
  return elapsedMs;
}

function start({ name, ...how }: Starter, { workplace }: Stage): ServiceProcess {
  return new ServiceProcess({ ...how, log: workplace.log(name) });
}
