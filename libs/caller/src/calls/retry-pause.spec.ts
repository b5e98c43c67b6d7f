import { CommandError, type ErrorCode } from '@poker-bridge/contracts';
import { describe, expect, it } from '@jest/globals';

import { CallerError } from '../errors/caller-error.ts';
import { failure } from '../replies/message.fixture.ts';
import { retryPauseMs } from './retry-pause.ts';

const AMPLE_MS = 60_000;
const longest = () => 1;

function answered(code: ErrorCode, facts: object = {}): CallerError {
  const { retryable } = new CommandError(code);
  return CallerError.ofReply({ ...failure(code), retryable, ...facts } as never);
}

describe('retryPauseMs', () => {
  it('is drawn from a time that doubles, up to 5 s', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7].map((failures) =>
      retryPauseMs(answered('OVERLOADED'), failures, AMPLE_MS, longest),
    );
    expect(pauses).toEqual([200, 400, 800, 1600, 3200, 5000, 5000]);
    expect(retryPauseMs(answered('OVERLOADED'), 3, AMPLE_MS, () => 0.25)).toBe(200);
  });

  it('is at least what the worker asks for', () => {
    const error = answered('CIRCUIT_OPEN', { retryAfterMs: 3_000 });
    expect(retryPauseMs(error, 1, AMPLE_MS, () => 0)).toBe(3_000);
    expect(retryPauseMs(error, 1, AMPLE_MS, longest)).toBe(3_200);
  });

  it.each([
    ['it would end after the deadline', answered('OVERLOADED'), 199],
    ['the failure is final', answered('NICKNAME_TAKEN'), AMPLE_MS],
    ['nobody is bound', CallerError.of('NO_WORKER'), AMPLE_MS],
    ['it is not a failure of the call', new Error('a fault'), AMPLE_MS],
  ])('is none if %s', (_, error, remainingMs) => {
    expect(retryPauseMs(error, 1, remainingMs, longest)).toBeUndefined();
  });
});
