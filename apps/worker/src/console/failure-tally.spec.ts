import { describe, expect, it } from '@jest/globals';

import { ERROR_CODES, type ErrorCode } from '#contracts';

import { COMMAND } from './command-facts.fixture.ts';
import { FailureTally } from './failure-tally.ts';

/** A tally whose clock moves on by a second at each look. */
function ticking(): FailureTally {
  let nowMs = 0;
  return new FailureTally(() => (nowMs += 1_000));
}

describe('FailureTally', () => {
  it('counts failures by code, type and end, the latest first', () => {
    const tally = ticking();
    tally.failed(COMMAND, 'OVERLOADED', 'answered');
    tally.failed(COMMAND, 'FORBIDDEN', 'answered');
    tally.failed(COMMAND, 'OVERLOADED', 'postponed');
    tally.failed(COMMAND, 'OVERLOADED', 'answered');
    const game = { type: 'game.open', operators: ['acme'] };
    expect(tally.failures).toEqual([
      { ...game, code: 'OVERLOADED', end: 'answered', count: 2, firstAtMs: 1_000, lastAtMs: 4_000 },
      { ...game, code: 'OVERLOADED', end: 'postponed', count: 1, firstAtMs: 3_000, lastAtMs: 3_000 },
      { ...game, code: 'FORBIDDEN', end: 'answered', count: 1, firstAtMs: 2_000, lastAtMs: 2_000 },
    ]);
  });

  it('still shows a failure after a flood of others', () => {
    const tally = ticking();
    tally.failed(COMMAND, 'INTERNAL_ERROR', 'answered');
    for (let n = 0; n < 10_000; n += 1) {
      tally.failed({ ...COMMAND, operator: `made-up-${n}` }, 'UNKNOWN_OPERATOR', 'answered');
    }
    expect(tally.failures).toHaveLength(2);
    expect(tally.failures).toContainEqual(expect.objectContaining({ code: 'INTERNAL_ERROR', count: 1 }));
    expect(tally.failures[0]?.operators).toEqual([9999, 9998, 9997, 9996, 9995].map((n) => `made-up-${n}`));
  });

  it('keeps no more than the catalogue of errors has, and no id', () => {
    const tally = ticking();
    const codes = Object.keys(ERROR_CODES) as ErrorCode[];
    for (const code of [...codes, ...codes]) {
      tally.failed(COMMAND, code, 'answered');
      tally.deadLettered(code);
    }
    expect(tally.failures).toHaveLength(codes.length);
    expect(tally.deadLetters.size).toBe(codes.length);
    expect(tally.deadLetters.get('OVERLOADED')).toMatchObject({ count: 2 });
    expect(JSON.stringify(tally.failures)).not.toContain('CANARY');
  });

  it('counts parked replies by reason', () => {
    const tally = ticking();
    tally.replyParked('REPLY_QUEUE_GONE');
    tally.replyParked('EVENT_REFUSED');
    tally.replyParked('REPLY_QUEUE_GONE');
    expect([...tally.parked]).toEqual([
      ['REPLY_QUEUE_GONE', { count: 2, lastAtMs: 3_000 }],
      ['EVENT_REFUSED', { count: 1, lastAtMs: 2_000 }],
    ]);
  });

  it('knows since when a circuit is not closed', () => {
    const tally = ticking();
    tally.circuitChanged('acme', 'game.open', 'open');
    tally.circuitChanged('acme', 'game.open', 'half-open');
    tally.circuitChanged('acme', 'game.open', 'open');
    expect(tally.openSinceMs('acme', 'game.open')).toBe(1_000);
    expect(tally.openSinceMs('acme', 'session.create')).toBeUndefined();
    tally.circuitChanged('acme', 'game.open', 'closed');
    expect(tally.openSinceMs('acme', 'game.open')).toBeUndefined();
  });
});
