import { describe, expect, it } from '@jest/globals';

import { COMMAND } from './command-facts.fixture.ts';
import { FailureTally } from './failure-tally.ts';

/** A tally whose clock advances by one second at each reading. */
function ticking(): FailureTally {
  let nowMs = 0;
  return new FailureTally(() => (nowMs += 1_000));
}

describe('FailureTally', () => {
  it('counts failures by code, type and end, the latest first, and keeps the last of each', () => {
    const tally = ticking();
    tally.failed(COMMAND, 'OVERLOADED', 'answered');
    tally.failed(COMMAND, 'FORBIDDEN', 'answered');
    tally.failed(COMMAND, 'OVERLOADED', 'postponed');
    tally.failed({ ...COMMAND, id: 'm-2' }, 'OVERLOADED', 'answered', { status: 503, reason: 'full' });
    const game = { type: 'game.open', operators: ['acme'], last: { id: 'm-1' } };
    const last = { id: 'm-2', status: 503, reason: 'full' };
    expect(tally.failures).toEqual([
      { ...game, code: 'OVERLOADED', end: 'answered', count: 2, firstAtMs: 1_000, lastAtMs: 4_000, last },
      { ...game, code: 'OVERLOADED', end: 'postponed', count: 1, firstAtMs: 3_000, lastAtMs: 3_000 },
      { ...game, code: 'FORBIDDEN', end: 'answered', count: 1, firstAtMs: 2_000, lastAtMs: 2_000 },
    ]);
  });

  it('still shows a failure after a flood of others', () => {
    const tally = ticking();
    tally.failed(COMMAND, 'INTERNAL_ERROR', 'answered');
    for (let n = 0; n < 10_000; n += 1)
      tally.failed({ ...COMMAND, operator: `made-up-${n}` }, 'UNKNOWN_OPERATOR', 'answered');
    expect(tally.failures).toHaveLength(2);
    expect(tally.failures).toContainEqual(expect.objectContaining({ code: 'INTERNAL_ERROR', count: 1 }));
    expect(tally.failures[0]?.operators).toEqual([9999, 9998, 9997, 9996, 9995].map((n) => `made-up-${n}`));
  });

  it('reports since when the broker has been blocked or unavailable', () => {
    const tally = ticking();
    tally.troubleChanged('consuming', false);
    expect(tally.troubledSinceMs('consuming', 'publishing')).toBeUndefined();
    tally.troubleChanged('publishing', true);
    tally.troubleChanged('publishing', true);
    tally.troubleChanged('consuming', true);
    expect(tally.troubledSinceMs('consuming', 'publishing')).toBe(1_000);
  });
});
