import { describe, expect, it } from '@jest/globals';

import type { AttemptOutcome } from './attempt-outcome.ts';
import { isRetryable } from './is-retryable.ts';

const fault = undefined;
const transient: AttemptOutcome<string, undefined> = { kind: 'transient', fault, retryAfterMs: undefined };
const notSent: AttemptOutcome<string, undefined> = { kind: 'not-sent', fault };
const unknown: AttemptOutcome<string, undefined> = { kind: 'unknown', fault };

describe('isRetryable', () => {
  it.each([transient, notSent, unknown])('retries freely what may be repeated: $kind', (outcome) => {
    expect(isRetryable(outcome, { attempts: 5, unknown: 3 }, 'freely')).toBe(true);
  });

  it.each([transient, notSent])('retries what did nothing, however often: $kind', (outcome) => {
    expect(isRetryable(outcome, { attempts: 5, unknown: 0 }, 'once')).toBe(true);
  });

  it('allows two attempts at most as soon as an outcome is unknown', () => {
    expect(isRetryable(unknown, { attempts: 1, unknown: 1 }, 'once')).toBe(true);
    expect(isRetryable(unknown, { attempts: 2, unknown: 1 }, 'once')).toBe(false);
    expect(isRetryable(transient, { attempts: 2, unknown: 1 }, 'once')).toBe(false);
    expect(isRetryable(notSent, { attempts: 2, unknown: 1 }, 'once')).toBe(false);
  });

  it.each<AttemptOutcome<string, undefined>>([
    { kind: 'answered', answer: 'yes' },
    { kind: 'rejected', fault },
    { kind: 'expired' },
  ])('does not retry what has ended: $kind', (outcome) => {
    expect(isRetryable(outcome, { attempts: 1, unknown: 0 }, 'freely')).toBe(false);
  });
});
