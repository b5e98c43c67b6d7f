import { describe, expect, it } from '@jest/globals';

import { Metrics } from '#telemetry';

import { readCounts } from './counts.ts';
import { History, STEP_MS } from './history.ts';

const TYPES = ['session.create', 'game.open'];

/** The history of a worker that answers one more command in each step than in the one before. */
function historyOf(steps: number, outcome = 'success') {
  const metrics = new Metrics();
  const history = new History(TYPES);
  for (let step = 0; step <= steps; step += 1) {
    metrics.commands.labels('game.open', outcome).value += step;
    history.add(readCounts(metrics, step * STEP_MS), [step]);
  }
  return history;
}

describe('History', () => {
  it('has a point for each step, with what happened in it', () => {
    const { points } = historyOf(3);
    expect(points.map(({ at }) => at)).toEqual([5, 10, 15]);
    expect(points.map(({ types }) => types[1])).toEqual([
      [0.2, 0, null],
      [0.4, 0, null],
      [0.6, 0, null],
    ]);
    expect(points.at(-1)).toMatchObject({
      types: [
        [0, 0, null],
        [0.6, 0, null],
      ],
      inFlight: [3],
    });
  });

  it('keeps an hour', () => {
    const { points } = historyOf(800);
    expect(points).toHaveLength(720);
    expect([points.at(0)?.at, points.at(-1)?.at]).toEqual([405, 4000]);
  });

  it('sums up the last minute', () => {
    const { lastMinute } = historyOf(20, 'OVERLOADED');
    const answered = 9 + 10 + 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 19 + 20;
    expect(lastMinute.seconds).toBe(60);
    expect(lastMinute.types.get('game.open')).toMatchObject({ answered, failed: answered });
    expect(lastMinute.outcomes).toEqual(new Map([['OVERLOADED', answered]]));
  });

  it('has nothing to say before the first step', () => {
    expect(new History(TYPES).lastMinute).toEqual({ seconds: 0, types: new Map(), outcomes: new Map() });
  });
});
