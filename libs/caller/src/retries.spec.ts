import { describe, expect, it } from '@jest/globals';
import type { ErrorBody } from '@poker-bridge/contracts';

import { CallerError } from './caller-error.ts';
import { failure } from './message.fixture.ts';
import { type FailedAttempt, Retries } from './retries.ts';

const overloaded = (facts: Partial<ErrorBody> = {}) =>
  CallerError.ofReply({ ...failure('OVERLOADED'), ...facts } as ErrorBody);
const type = 'session.create';
const failed = (attempt: Partial<FailedAttempt> = {}): FailedAttempt => ({
  type,
  error: overloaded(),
  attempts: 1,
  remainingMs: 10_000,
  rules: true,
  ...attempt,
});
const retries = (jitter = 0.5) =>
  new Retries(
    () => 0,
    () => jitter,
  );

describe('Retries', () => {
  it.each([
    [0, 1, undefined, 0],
    [0.5, 1, undefined, 100],
    [0.5, 3, undefined, 400],
    [0.5, 30, undefined, 2_500],
    [0, 1, 3_000, 3_000],
    [0.5, 1, 3_000, 3_100],
  ])(
    'pauses with jitter %d before attempt %d + 1 and retryAfterMs %s for %d ms',
    (jitter, attempts, retryAfterMs, pauseMs) => {
      const error = overloaded(retryAfterMs === undefined ? {} : { retryAfterMs });
      expect(retries(jitter).pauseMs(failed({ error, attempts }))).toBe(pauseMs);
    },
  );

  it.each<[string, Partial<FailedAttempt>]>([
    ['the failure is permanent', { error: overloaded({ retryable: false }) }],
    ['retries are switched off', { rules: false }],
    ['the attempts are used up', { attempts: 2, rules: { maxAttempts: 2 } }],
    ['its code fails fast', { rules: { failFastOn: ['OVERLOADED'] } }],
    ['retryAfterMs exceeds the remaining time', { error: overloaded({ retryAfterMs: 10_000 }) }],
  ])('does not retry if %s', (_, attempt) => {
    expect(retries().pauseMs(failed({ attempts: 1, ...attempt }))).toBeUndefined();
    expect(retries().pauseMs(failed({ rules: { maxAttempts: 2, failFastOn: ['CIRCUIT_OPEN'] } }))).toBe(100);
  });

  it('does not retry if recent calls predict that the reply would be too late', () => {
    const some = retries(0);
    const late = failed({ error: overloaded({ retryAfterMs: 1_000 }), remainingMs: 5_000 });
    for (const tookMs of [3_000, 5_500]) some.succeeded(type, tookMs);
    expect(some.pauseMs(late)).toBe(1_000);
    for (let call = 1; call <= 10; call += 1) some.succeeded(type, 6_000);
    expect(some.pauseMs(late)).toBeUndefined();
    expect(some.pauseMs({ ...late, type: 'game.open' })).toBe(1_000);
  });

  it('limits retries to a budget of 100, which successes and time refill and lost replies do not use', () => {
    let nowMs = 0;
    const some = new Retries(
      () => nowMs,
      () => 0,
    );
    const granted = () => {
      let count = 0;
      while (count < 200 && some.pauseMs(failed()) !== undefined) count += 1;
      return count;
    };
    const counts = [granted()];
    for (let call = 1; call <= 51; call += 1) some.succeeded(type, 1);
    counts.push(granted());
    nowMs += 3_000;
    counts.push(granted());
    nowMs += 3_600_000;
    counts.push(granted());
    expect(counts).toEqual([100, 10, 3, 100]);
    expect(some.pauseMs(failed({ error: CallerError.of('REPLY_LOST') }))).toBe(0);
  });
});
