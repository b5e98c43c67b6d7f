import { describe, expect, it } from '@jest/globals';

import { ERROR_CODES } from './error-codes.ts';

/** The table of bus contract, section 4: code, category, retryable. */
const CONTRACT = `
  MALFORMED_MESSAGE        invalid        no
  MESSAGE_TOO_LARGE        invalid        no
  UNKNOWN_COMMAND          invalid        no
  UNSUPPORTED_VERSION      invalid        no
  VALIDATION_FAILED        invalid        no
  UNKNOWN_OPERATOR         invalid        no
  REPLY_TO_MISSING         invalid        no
  REPLY_TO_FORBIDDEN       invalid        no
  CALLER_FORBIDDEN         invalid        no
  IDEMPOTENCY_CONFLICT     invalid        no
  COMMAND_EXPIRED          expired        no
  SIGNATURE_REJECTED       misconfigured  no
  SECRET_KEY_MISSING       misconfigured  no
  FORBIDDEN                misconfigured  no
  UNEXPECTED_REDIRECT      misconfigured  no
  BAD_REQUEST              rejected       no
  PLAYER_NOT_FOUND         rejected       no
  NOT_FOUND                rejected       no
  AUTH_TYPE_INVALID        rejected       no
  CURRENCY_REQUIRED        rejected       no
  CURRENCY_NOT_FOUND       rejected       no
  CURRENCY_INACTIVE        rejected       no
  NICKNAME_TAKEN           rejected       no
  NICKNAME_TOO_LONG        rejected       no
  INCORRECT_DATA           rejected       no
  RATE_LIMITED             unavailable    yes
  PLATFORM_UNAVAILABLE     unavailable    yes
  CIRCUIT_OPEN             unavailable    yes
  OVERLOADED               unavailable    yes
  REPLY_QUEUE_FULL         expired        yes
  OUTCOME_UNKNOWN          uncertain      yes
  PLATFORM_PROTOCOL_ERROR  uncertain      no
  POISON_COMMAND           internal       no
  INTERNAL_ERROR           internal       no
`;

describe('ERROR_CODES', () => {
  it('is the table of the contract', () => {
    const expected = CONTRACT.trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
    const actual = Object.entries(ERROR_CODES).map(([code, { category, retryable }]) => [
      code,
      category,
      retryable ? 'yes' : 'no',
    ]);
    expect(actual).toEqual(expected);
  });

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
