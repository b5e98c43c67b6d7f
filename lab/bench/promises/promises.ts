import { markdownTable } from 'markdown-table';

import { CPU } from '../bounds.ts';
import { compare, FULL, type Plan, type Sample } from '../compare.ts';
import { type Contestant, ours } from '../contestants.ts';
import { isFaultless } from '../driver/load-driver.ts';
import { median, withRange } from '../measure.ts';
import { openStage } from '../stage.ts';
import { buildWithout, PROMISES } from './leave-out.ts';

const MICROSECONDS = 1_000;

/** The differences are small: many short rounds, each with new processes. */
const PLAN: Plan = { ...FULL, rounds: 5, warmUp: 3_000, commands: 5_000, openLoopMs: 10_000 };

/**
 * Leaves out one promise of the worker after the other, and prints how much CPU time that saves. It takes
 * about a quarter of an hour.
 *
 * @returns true if all replies were right
 */
export async function runPromises(rounds = PLAN.rounds): Promise<boolean> {
  const plan = { ...PLAN, rounds };
  await using stage = await openStage(plan.prefetch);
  const contestants: Contestant[] = [
    ours('redis', 'all, with Redis', { hasRedis: true }),
    ours('ours', 'without Redis', {}),
  ];
  for (const [index, { label }] of PROMISES.entries()) {
    const folder = await buildWithout(PROMISES.slice(0, index + 1), String(index));
    contestants.push(ours(`without-${index}`, `without ${label}`, { folder }));
  }
  const results = await compare(stage, contestants, plan);
  const rows = results.map(({ contestant, samples }, index) => {
    const before = results[index - 1]?.samples;
    const cells = [CPU.full, CPU.rate].flatMap((figure) => [
      `${(median(samples.map((sample) => sample[figure])) * MICROSECONDS).toFixed(0)} µs`,
      before ? `${withRange(savings(before, samples, figure), 0)} µs` : '',
    ]);
    return [contestant.label, ...cells];
  });
  const head = ['what is left', 'CPU at full speed', 'saves', `CPU at ${plan.perSecond}/s`, 'saves'];
  console.log(`\n${markdownTable([head, ...rows])}`);
  return results.every(({ finishes }) => finishes.every(({ tally }) => isFaultless(tally)));
}

function savings(before: readonly Sample[], after: readonly Sample[], figure: keyof Sample): number[] {
  return after.map(
    (sample, round) => ((before[round]?.[figure] ?? Number.NaN) - sample[figure]) * MICROSECONDS,
  );
}
