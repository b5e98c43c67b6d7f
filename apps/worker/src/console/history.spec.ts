import { describe, expect, it } from '@jest/globals';

import { Metrics } from '#telemetry';

import { readCounts } from './counts.ts';
import { History, STEP_MS } from './history.ts';

const TYPES = ['session.create', 'game.open'];
/** Ten of one outcome. */
type Step = Readonly<Record<string, number>>;

/** The history of `game.open` after these steps. */
function historyOf(...steps: readonly Step[]) {
  const metrics = new Metrics();
  const history = new History(TYPES);
  history.add(readCounts(metrics, 0));
  for (const [index, outcomes] of steps.entries()) {
    for (const [outcome, count] of Object.entries(outcomes))
      metrics.commands.labels('game.open', outcome).value += count;
    history.add(readCounts(metrics, (index + 1) * STEP_MS));
  }
  return { ...history.types[1]!, seconds: history.seconds };
}

const times = (count: number, step: Step): readonly Step[] => Array.from({ length: count }, () => step);
const WELL = { success: 10 };
const DEAD = { CIRCUIT_OPEN: 9, PLATFORM_UNAVAILABLE: 1 };

describe('History', () => {
  it('sums up the last minute, by type', () => {
    const { seconds, answered, failed } = historyOf(...times(20, WELL), ...times(2, DEAD));
    expect({ seconds, answered, failed }).toEqual({ seconds: 60, answered: 120, failed: 20 });
  });

  it('keeps each minute of an hour', () => {
    const { hour } = historyOf(...times(719, WELL), ...times(20, DEAD));
    expect(hour).toHaveLength(60);
    expect([hour[0], hour.at(-2), hour.at(-1)]).toEqual([
      [120, 0],
      [120, 120],
      [80, 80],
    ]);
  });

  it('knows since when a type fails as a whole, also if others refuse their callers', () => {
    const known = historyOf(...times(3, WELL), ...times(2, { ...DEAD, NICKNAME_TAKEN: 100 }));
    expect(known).toMatchObject({ deadSinceMs: 3 * STEP_MS, failingSinceMs: 3 * STEP_MS });
  });

  it('knows since when some fail, through the seconds in which none does', () => {
    const known = historyOf(WELL, { success: 9, OVERLOADED: 1 }, WELL, {}, { success: 9, OVERLOADED: 1 });
    expect(known).toMatchObject({ failingSinceMs: STEP_MS, deadSinceMs: undefined });
  });

  it.each<[string, readonly Step[]]>([
    ['the first success', [DEAD, WELL]],
    ['a minute without a command', [DEAD, ...times(13, {})]],
    ['four failures alone', [{ CIRCUIT_OPEN: 4 }]],
  ])('does not say so after %s', (_, steps) => {
    expect(historyOf(...steps).deadSinceMs).toBeUndefined();
  });

  it('has nothing to say before the first step', () => {
    expect(new History(TYPES)).toMatchObject({ types: [], seconds: 0 });
  });
});
