import { describe, expect, it } from '@jest/globals';

import { CommandError } from './command-error.ts';
import { ERROR_CODES } from './error-codes.ts';

describe('CommandError', () => {
  it('takes category, retryable and message from the row of its code', () => {
    const error = new CommandError('RATE_LIMITED');
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'CommandError',
      code: 'RATE_LIMITED',
      category: 'unavailable',
      retryable: true,
      message: ERROR_CODES.RATE_LIMITED.message,
    });
  });

  it('carries further facts', () => {
    const facts = {
      message: 'The maximum username length is 12',
      retryAfterMs: 250,
      violations: [{ pointer: '/player/nick', message: 'is too long' }],
      details: { maxLength: 12 },
      platform: { status: 422, errors: [] },
      cause: new Error('why'),
    };
    expect(new CommandError('NICKNAME_TOO_LONG', facts)).toMatchObject(facts);
  });

  it('has no cause if none is given', () => {
    expect('cause' in new CommandError('INTERNAL_ERROR')).toBe(false);
  });
});
