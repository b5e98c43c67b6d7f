import { expect, it } from '@jest/globals';

import { type Entry, Ledger } from './ledger.ts';
import { recoveryMs, verdictOf } from './verdict.ts';

const reply = (messageId: string, more: Partial<Entry['replies'][number]> = {}) => ({
  correlationId: 'c',
  atMs: 1_100,
  isRedelivered: false,
  messageId,
  type: 'session.created',
  isFinal: true,
  text: 'a',
  ...more,
});
const page = (text: string) => reply('c:0', { text, isFinal: false });
const failure = (code: string, retryable: boolean, details?: object) =>
  reply('c:0', { type: 'command.failed', text: JSON.stringify({ code, retryable, details }) });
const failureAt = (occurredAt: string, retryAfterMs: number) =>
  reply('c:0', {
    type: 'command.failed',
    text: JSON.stringify({ code: 'OVERLOADED', retryAfterMs, occurredAt }),
  });
const entry = (facts: Partial<Entry> = {}): Entry => ({
  id: 'c',
  type: 'session.create',
  sentMs: 1_000,
  isDisturbance: false,
  publishes: 1,
  calledMs: [1_050],
  replies: [reply('c:0')],
  ...facts,
});
const last = reply('c:0');
const again = reply('c:0', { atMs: 9_000 });
const anEntry = expect.any(Object);

const NOTHING = { lost: [], repeated: 0, cameAgain: [], wrong: [], extraCalls: 0, calledAgain: [] };

it.each<[string, Partial<Entry>, object]>([
  ['was answered once', {}, { ...NOTHING, commands: 1, failures: [], largestMs: 100, slowest: [] }],
  ['has no reply', { replies: [] }, { lost: [anEntry] }],
  ['has a page alone', { replies: [page('a')] }, { lost: [anEntry] }],
  ['has its reply twice', { replies: [last, again] }, { repeated: 1, cameAgain: [anEntry], largestMs: 100 }],
  ['was published and answered twice', { replies: [last, again], publishes: 2 }, NOTHING],
  [
    'has a page that was read again',
    { replies: [page('{"readAt":"1"}'), page('{"readAt":"2"}'), reply('c:1')] },
    { wrong: [] },
  ],
  [
    'has a page twice, with other records',
    { replies: [page('[1]'), page('[2]'), reply('c:1')] },
    { wrong: [anEntry] },
  ],
  ['has two texts under one id', { replies: [last, reply('c:0', { text: 'b' })] }, { wrong: [anEntry] }],
  ['has two final replies', { replies: [reply('c:1'), last] }, { wrong: [anEntry] }],
  ['lacks a page', { replies: [page('a'), reply('c:2')] }, { wrong: [anEntry] }],
  ['failed', { replies: [failure('OVERLOADED', true)] }, { failures: ['OVERLOADED'], wrong: [] }],
  [
    'failed twice, with other times',
    { replies: [1, 2].map((n) => failureAt(`2026-01-0${n}T00:00:00.000Z`, n)) },
    { repeated: 1, wrong: [] },
  ],
  ['failed and succeeded', { replies: [failure('OVERLOADED', true), last] }, { wrong: [anEntry] }],
  [
    'failed, was published again and succeeded',
    { replies: [failure('OVERLOADED', true), last], publishes: 2 },
    { wrong: [] },
  ],
  [
    'failed for good, was published again and succeeded',
    { replies: [failure('NOT_FOUND', false), last], publishes: 2 },
    { wrong: [anEntry] },
  ],
  [
    'expired uncalled, was published again and succeeded',
    { replies: [failure('COMMAND_EXPIRED', false, { called: false }), last], publishes: 2 },
    { wrong: [] },
  ],
  [
    'expired, was published again and succeeded',
    { replies: [failure('COMMAND_EXPIRED', false, { called: true }), last], publishes: 2 },
    { wrong: [anEntry] },
  ],
  ['was called three times', { calledMs: [1, 2, 3] }, { extraCalls: 2, calledAgain: [anEntry] }],
  ['is a report of three pages', { calledMs: [1, 2, 3], type: 'report.rake.fetch' }, { extraCalls: 0 }],
  [
    'is what is broken',
    { isDisturbance: true, calledMs: [1, 2], replies: [again] },
    { extraCalls: 0, largestMs: 0 },
  ],
  ['took long', { replies: [reply('c:0', { atMs: 32_000 })] }, { largestMs: 31_000, slowest: [anEntry] }],
])('the verdict on a command that %s', (_, facts, expected) => {
  expect(verdictOf([entry(facts)])).toMatchObject(expected);
});

it('measures recovery as the longest time to the first reply to a command that was sent afterwards', () => {
  const at = (sentMs: number, atMs: number) => entry({ sentMs, replies: [reply('c:0', { atMs })] });
  const entries = [at(100, 5_000), at(1_000, 1_900), at(1_100, 1_400), at(3_000, 3_200)];
  expect(recoveryMs(entries, [1_000, 2_000])).toBe(1_200);
  expect(recoveryMs(entries, [])).toBe(0);
});

it('a ledger reports whether a reply is the first final reply to one of its commands', () => {
  const ledger = new Ledger();
  ledger.sent('c', 'session.create');
  const other = reply('c:1', { correlationId: 'another' });
  expect([page('a'), reply('c:1'), reply('c:1'), other].map((each) => ledger.replied(each))).toEqual([
    false,
    true,
    false,
    false,
  ]);
  expect(ledger.answered).toBe(1);
  ledger.replied(reply('c:1', { isRedelivered: true }));
  expect(ledger.entries[0]?.replies.map(({ messageId }) => messageId)).toEqual(['c:0', 'c:1', 'c:1']);
});
