import { describe, expect, it } from '@jest/globals';

import type { AttemptOutcome } from './attempt-outcome.ts';
import { isRetryable } from './is-retryable.ts';

const fault = undefined;
const passing: AttemptOutcome<string, undefined> = { kind: 'passing', fault, retryAfterMs: undefined };
const notSent: AttemptOutcome<string, undefined> = { kind: 'not-sent', fault };
const unknown: AttemptOutcome<string, undefined> = { kind: 'unknown', fault };

describe('isRetryable', () => {
  it.each([passing, notSent, unknown])('repeats freely what may be repeated: $kind', (outcome) => {
    expect(isRetryable(outcome, { calls: 5, unknown: 3 }, 'freely')).toBe(true);
  });

  it.each([passing, notSent])('repeats what did nothing as often as it likes: $kind', (outcome) => {
    expect(isRetryable(outcome, { calls: 5, unknown: 0 }, 'once')).toBe(true);
  });

  it('makes two calls at most once one of them ended unknown', () => {
    expect(isRetryable(unknown, { calls: 1, unknown: 1 }, 'once')).toBe(true);
    expect(isRetryable(unknown, { calls: 2, unknown: 1 }, 'once')).toBe(false);
    expect(isRetryable(passing, { calls: 2, unknown: 1 }, 'once')).toBe(false);
    expect(isRetryable(notSent, { calls: 2, unknown: 1 }, 'once')).toBe(false);
  });

  it.each<AttemptOutcome<string, undefined>>([
    { kind: 'answered', answer: 'yes' },
    { kind: 'held-back', fault },
    { kind: 'expired' },
  ])('leaves alone what has ended: $kind', (outcome) => {
    expect(isRetryable(outcome, { calls: 1, unknown: 0 }, 'freely')).toBe(false);
  });
});
