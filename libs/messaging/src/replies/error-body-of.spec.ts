import { describe, expect, it } from '@jest/globals';

import { CommandError } from '#contracts';

import { commandOf, RECEIVED_AT_MS } from '../command/command.fixture.ts';
import { errorBodyOf } from './error-body-of.ts';

describe('errorBodyOf', () => {
  it('says what every failure says, and no more', () => {
    const body = errorBodyOf(new CommandError('SECRET_KEY_MISSING'), commandOf(), RECEIVED_AT_MS);
    expect(body).toEqual({
      code: 'SECRET_KEY_MISSING',
      category: 'misconfigured',
      retryable: false,
      message: 'This operator has no secret key, which this operation needs.',
      attempts: 0,
      command: { id: 'm-1', type: 'session.create' },
      occurredAt: '2026-01-31T12:00:00.000Z',
    });
    expect(Object.keys(body)).toHaveLength(7);
  });

  it('says all that is known, and nothing of the cause', () => {
    const facts = {
      message: 'A Player with this username already exists in the system.',
      violations: [{ pointer: '/player/nick', message: 'is taken' }],
      details: { earlierOutcomeUnknown: true },
      platform: { status: 422, errors: [{ status: 422, detail: 'taken' }] },
    };
    const command = commandOf({ properties: { type: 'game.open' } });
    command.run.attempts = 2;
    const error = new CommandError('NICKNAME_TAKEN', {
      ...facts,
      retryAfterMs: 0,
      cause: new Error('CANARY'),
    });
    const body = errorBodyOf(error, command, RECEIVED_AT_MS);
    expect(body).toEqual({
      ...facts,
      code: 'NICKNAME_TAKEN',
      category: 'rejected',
      retryable: false,
      retryAfterMs: 0,
      attempts: 2,
      command: { id: 'm-1', type: 'game.open' },
      occurredAt: '2026-01-31T12:00:00.000Z',
    });
    expect(JSON.stringify(body)).not.toMatch(/CANARY|stack|cause/);
  });

  it('repeats a type that no command has as it was sent', () => {
    const command = commandOf({ properties: { type: 'no.such.command' } });
    expect(errorBodyOf(new CommandError('UNKNOWN_COMMAND'), command, 0).command.type).toBe('no.such.command');
  });
});
