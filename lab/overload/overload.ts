import { writeFileSync } from 'node:fs';

import type { Broker } from '../../scripts/broker/start-broker.ts';
import { messageOf } from '../../scripts/message-of.ts';
import { describeMachine } from '../bench/measure.ts';
import { type Case, playCase, type Result } from './play-case.ts';
import { goodputPlot } from './plot.ts';
import { exceededBounds, overloadTable, resultLine } from './report.ts';
import type { Row } from './rows.ts';

export interface OverloadOptions {
  readonly rows: readonly Row[];
  /** In multiples of the capacity. Default: those of each row. */
  readonly times: readonly number[] | undefined;
  readonly workers: readonly number[];
  /**
   * The length of each load. Default: long enough for commands in a single queue to exceed their deadlines.
   */
  readonly seconds: number | undefined;
  readonly deadlineMs: number;
  readonly seed: number;
}

const PLOTTED_TIMES = [0.5, 0.8, 1, 1.1, 1.5, 2, 3, 5, 10];
const LEAST_SECONDS = 20;
/** If the driver itself was later than this, the figures show the machine rather than the worker. */
const NOTICEABLE_MS = 250;

/**
 * Plays rows with each load and each number of workers, and prints a table for docs/scaling.md.
 *
 * @param plot a file for the plot of goodput against offered load; a worker and a naive consumer then play
 *   the first row
 * @returns true if every result of our worker is within the bounds
 */
export async function overload(broker: Broker, options: OverloadOptions, plot?: string): Promise<boolean> {
  const rows = options.rows.slice(0, 1).flatMap((row) => [row, { ...row, consumer: 'naive' as const }]);
  const results: Result[] = [];
  const cases = casesOf(plot === undefined ? options : { ...options, rows, times: PLOTTED_TIMES });
  for (const [index, played] of cases.entries()) {
    const { row, times, workers, seconds } = played;
    const place = `${index + 1} of ${cases.length}`;
    console.log(`${place}: ${row.name}, ${times} times the capacity, ${workers} workers, ${seconds} s`);
    const print = (line: string): void => console.log(`  ${line}`);
    const result = await playCase(broker, played, print).catch(messageOf);
    // The remaining rows are still useful.
    if (typeof result === 'string') print(`could not be played: ${result}`);
    else {
      for (const each of result) print(resultLine(each));
      results.push(...result);
    }
  }
  const latestMs = Math.max(...results.map((result) => result.latestMs));
  const busy =
    latestMs > NOTICEABLE_MS
      ? ` The machine was busy: the driver was up to ${latestMs.toFixed()} ms late.`
      : '';
  const { description } = describeMachine(broker.node.installation.version);
  console.log(
    `\n${new Date().toISOString().slice(0, 10)}, ${description}.${busy}\n\n${overloadTable(results)}`,
  );
  const { ours = [], naive = [] } = Object.groupBy(results, ({ played }) => played.row.consumer ?? 'ours');
  if (plot !== undefined) writeFileSync(plot, goodputPlot({ 'poker-bridge': ours, 'naive consumer': naive }));
  return results.length > 0 && ours.every((result) => exceededBounds(result).length === 0);
}

function casesOf({ rows, times, workers, seconds, ...options }: OverloadOptions): readonly Case[] {
  return workers.flatMap((count) =>
    rows.flatMap((row) =>
      // A row with another caller has its own loads.
      (row.heavy ? row.times : (times ?? row.times)).map((each) => {
        const excess = (row.heavy?.times ?? each) - 1;
        const growing = excess > 0 ? Math.ceil(options.deadlineMs / 1_000 / excess) : 0;
        return { ...options, row, times: each, workers: count, seconds: seconds ?? LEAST_SECONDS + growing };
      }),
    ),
  );
}
