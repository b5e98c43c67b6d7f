import { describe, expect, it } from '@jest/globals';

import { CommandError, type CommandErrorFacts, type Violation } from '#contracts';
import { validateCommand } from '#contracts/validation';

import { errorBodyOf } from './settlement.ts';
import { commandOf, copiedCommandOf, RECEIVED_AT_MS } from './command.fixture.ts';
import { factsOf, failureFactsOf, waitedMs } from './command-facts.ts';

const failure = (facts: CommandErrorFacts) =>
  failureFactsOf(errorBodyOf(new CommandError('INCORRECT_DATA', facts), commandOf()));

function violationsOf(data: object): readonly Violation[] {
  try {
    validateCommand('session.create', data);
    return [];
  } catch (error) {
    return (error as CommandError).violations ?? [];
  }
}

it('factsOf returns id, trace and names, with unknown types hidden and operators truncated to 100 characters', () => {
  const command = commandOf({
    properties: { type: 'no.such.command' },
    headers: {
      operator: 'x'.repeat(200),
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    },
  });
  expect(factsOf(command)).toEqual({
    id: 'm-1',
    correlationId: 'm-1',
    type: 'unknown',
    operator: 'x'.repeat(100),
    lane: 'interactive',
    attempts: 0,
    durationMs: 0,
    traceId: '0af7651916cd43dd8448eb211c80319c',
  });
});

describe('failureFactsOf', () => {
  it('returns status and pointers of a refusal by the platform, and the reason for a missing answer', () => {
    expect(failure({ details: { reason: 'ECONNREFUSED' } })).toEqual({ reason: 'ECONNREFUSED' });
    const unanswered = { reason: 'timeout', unansweredMs: 3_900 };
    expect(failure({ details: { called: true, ...unanswered } })).toEqual(unanswered);
    const errors = [{ status: 422, detail: 'too young', pointer: '/data/player' }, { title: 'no' }];
    expect(failure({ platform: { status: 422, errors } })).toMatchObject({
      status: 422,
      pointers: ['/data/player'],
    });
  });

  it('hides the names of unknown members, which may be data of a player, and stays short', () => {
    const violations: Violation[] = [
      ...violationsOf({ userId: 'p-1', 'CANARY name': 1 }),
      ...Array.from({ length: 50 }, (_, n) => ({
        pointer: `/${'x'.repeat(200)}`,
        message: `rule ${n % 40}`,
      })),
    ];
    const { pointers = [], reason } = failure({ violations });
    expect(pointers[0]).toBe('/*');
    expect(pointers).toHaveLength(10);
    expect(Math.max(...pointers.map(({ length }) => length))).toBe(100);
    expect(reason).toHaveLength(300);
  });
});

describe('waitedMs', () => {
  const sentAt = (seconds: number) => ({ properties: { timestamp: RECEIVED_AT_MS / 1000 - seconds } });

  it.each([
    ['so long', commandOf(sentAt(3)), 3_000],
    ['not at all if its caller is ahead', commandOf(sentAt(-3)), 0],
    [
      'so long, in whole seconds, by a timestamp in milliseconds',
      commandOf({ properties: { timestamp: RECEIVED_AT_MS - 2_999 } }),
      3_000,
    ],
    ['as long as the longest deadline', commandOf(sentAt(1_200)), 1_200_000],
    ['for an unknown time if that is longer than any deadline', commandOf(sentAt(1_201)), undefined],
    ['for an unknown time without a timestamp', commandOf(), undefined],
    ['for an unknown time after a first receipt', commandOf({ ...sentAt(3), redelivered: true }), undefined],
    ['for an unknown time as a copy', copiedCommandOf(sentAt(3)), undefined],
  ])('says that a command waited %s', (_, command, expected) => {
    expect(waitedMs(command)).toBe(expected);
  });
});
