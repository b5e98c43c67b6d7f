import { describe, expect, it } from '@jest/globals';

import { CommandError } from '#contracts';
import { DeadlineExceeded } from '#resilience';

import { commandOf, RECEIVED_AT_MS } from './command-in-hand.fixture.ts';
import { failureOf } from './outcome.ts';

const failed = (thrown: unknown, attempts = 0) => {
  const command = commandOf();
  command.attempts = attempts;
  return failureOf(command, thrown, RECEIVED_AT_MS);
};

describe('failureOf', () => {
  it('keeps the code of a command error, and its cause for the log', () => {
    const cause = new Error('why');
    const { reply, cause: told } = failed(
      new CommandError('RATE_LIMITED', { retryAfterMs: 5_000, cause }),
      2,
    );
    expect(reply).toMatchObject({
      type: 'command.failed',
      data: { code: 'RATE_LIMITED', retryAfterMs: 5_000, attempts: 2 },
    });
    expect(told).toBe(cause);
  });

  it.each([
    [0, false],
    [1, true],
    [3, true],
  ])('takes a passed deadline for COMMAND_EXPIRED; after %i calls, called is %j', (attempts, called) => {
    expect(failed(new DeadlineExceeded(), attempts).reply).toMatchObject({
      data: { code: 'COMMAND_EXPIRED', category: 'expired', retryable: false, attempts, details: { called } },
    });
  });

  it.each([
    ['an error', new Error('CANARY')],
    ['a type error', new TypeError('CANARY')],
    ['an error that looks like a command error', Object.assign(new Error('CANARY'), { code: 'NOT_FOUND' })],
    ['a text', 'CANARY'],
    ['an object', { code: 'NOT_FOUND', message: 'CANARY' }],
    ['nothing', undefined],
    ['null', null],
  ])('takes %s for INTERNAL_ERROR, and puts it into the log alone', (_, thrown) => {
    const { reply, cause } = failed(thrown);
    expect(reply).toMatchObject({ data: { code: 'INTERNAL_ERROR', category: 'internal', retryable: false } });
    expect(JSON.stringify(reply)).not.toContain('CANARY');
    expect(cause).toBe(thrown);
  });
});
