import { describe, expect, it } from '@jest/globals';

import { type CommandError, type ErrorBody, validateCommand, type Violation } from '#contracts';

import { failureFactsOf } from './failure-facts.ts';

const bodyOf = (facts: Partial<ErrorBody>): ErrorBody => ({
  code: 'INCORRECT_DATA',
  category: 'rejected',
  retryable: false,
  message: 'The platform refused the data of the command.',
  attempts: 1,
  command: { id: 'm-1', type: 'game.open' },
  occurredAt: '2026-01-31T12:00:00.000Z',
  ...facts,
});

function violationsOf(data: unknown): readonly Violation[] {
  try {
    validateCommand('session.create', data);
    return [];
  } catch (error) {
    return (error as CommandError).violations ?? [];
  }
}

describe('failureFactsOf', () => {
  it('tells status and pointers of what the platform refused', () => {
    const errors = [
      { status: 422, detail: 'too young', pointer: '/data/attributes/player' },
      { title: 'no' },
    ];
    expect(failureFactsOf(bodyOf({ platform: { status: 422, errors } }))).toEqual({
      status: 422,
      pointers: ['/data/attributes/player'],
      reason: 'The platform refused the data of the command.',
    });
  });

  it('tells pointers and rules of what is not valid, each rule once', () => {
    const violations = ['/player/nick', '/player/tag', '/session/lang'].map((pointer) => ({
      pointer,
      message: pointer === '/session/lang' ? 'must be a language tag' : 'must be a string',
    }));
    expect(failureFactsOf(bodyOf({ violations }))).toEqual({
      pointers: ['/player/nick', '/player/tag', '/session/lang'],
      reason: 'must be a string; must be a language tag',
    });
  });

  it('does not repeat the name of a member that there is not: it may be of a player', () => {
    const violations = violationsOf({ userId: 'p-1', 'CANARY/name': 1, nick: 'Ace' });
    const { pointers } = failureFactsOf(bodyOf({ violations }));
    expect(pointers).toEqual(['/*']);
  });

  it('tells why there was no answer', () => {
    expect(failureFactsOf(bodyOf({ details: { reason: 'ECONNREFUSED' } }))).toEqual({
      reason: 'ECONNREFUSED',
    });
  });

  it('stays short', () => {
    const violations = Array.from({ length: 50 }, (_, n) => ({
      pointer: `/${'x'.repeat(200)}`,
      message: `is wrong in the way ${n}`,
    }));
    const { pointers, reason } = failureFactsOf(bodyOf({ violations }));
    expect(pointers).toHaveLength(10);
    expect(Math.max(...(pointers ?? []).map(({ length }) => length))).toBe(100);
    expect(reason).toHaveLength(300);
  });
});
