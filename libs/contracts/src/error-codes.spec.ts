import { describe, expect, it } from '@jest/globals';

import { ERROR_CODES } from './error-codes.ts';

describe('ERROR_CODES', () => {
  it("has the platform's own messages if the interface document gives them", () => {
    expect([
      ERROR_CODES.AUTH_TYPE_INVALID.message,
      ERROR_CODES.CURRENCY_REQUIRED.message,
      ERROR_CODES.CURRENCY_NOT_FOUND.message,
      ERROR_CODES.CURRENCY_INACTIVE.message,
      ERROR_CODES.NICKNAME_TAKEN.message,
    ]).toEqual([
      'Auth type not valid',
      'Currency cannot be blank',
      'Currency not found',
      'This currency is not active',
      'A Player with this username already exists in the system.',
    ]);
  });

  it('has a message of its own for each code', () => {
    const messages = Object.values(ERROR_CODES).map(({ message }) => message);
    expect(new Set(messages).size).toBe(messages.length);
  });
});
