import { describe, expect, it } from '@jest/globals';

import { type Entry, Ledger } from './ledger.ts';
import { storyOf } from './story.ts';
import { recoveryMs, verdictOf } from './verdict.ts';

const reply = (
  messageId: string,
  { atMs = 1_100, isFinal = true, text = 'a', type = 'session.created' } = {},
) => ({
  correlationId: 'c',
  atMs,
  isRedelivered: false,
  messageId,
  type,
  isFinal,
  text,
});
const failure = (code: string, retryable: boolean, atMs = 1_050, details?: object) =>
  reply('c:0', { atMs, type: 'command.failed', text: JSON.stringify({ code, retryable, details }) });
const entry = (facts: Partial<Entry> = {}): Entry => ({
  id: 'c',
  type: 'session.create',
  sentMs: 1_000,
  isDisturbance: false,
  publishes: 1,
  calledMs: [1_050],
  replies: [reply('c:0')],
  acknowledgedMs: [],
  ...facts,
});

describe('verdictOf', () => {
  it('finds nothing wrong with a command that was called and answered once', () => {
    const nothing = { lost: [], repeated: 0, cameAgain: [], wrong: [], extraCalls: 0, calledAgain: [] };
    const fast = { failures: [], largestMs: 100, slowest: [] };
    expect(verdictOf([entry()])).toEqual({ commands: 1, ...nothing, ...fast });
  });

  it('counts commands without a final reply, also those of which pages came', () => {
    const lost = [entry({ replies: [] }), entry({ replies: [reply('c:0', { isFinal: false })] })];
    expect(verdictOf([...lost, entry()]).lost).toEqual(lost);
  });

  it('counts replies that came again, and the time to the first', () => {
    const again = entry({ replies: [reply('c:0'), reply('c:0', { atMs: 9_000 })] });
    expect(verdictOf([again])).toMatchObject({ repeated: 1, wrong: [], largestMs: 100 });
    expect(verdictOf([{ ...again, publishes: 2 }])).toMatchObject({ repeated: 0, cameAgain: [] });
    const more = entry({ replies: [reply('c:0'), reply('c:0'), reply('c:0')] });
    expect(verdictOf([again, entry(), more])).toMatchObject({ repeated: 3, cameAgain: [more, again] });
  });

  const page = (text: string) => reply('c:0', { text, isFinal: false });

  it('lets a page that is read again say another time', () => {
    const replies = ['a', 'b'].map((time) => page(`{"readAt":"${time}","records":[1]}`));
    expect(verdictOf([entry({ replies: [...replies, reply('c:1')] })]).wrong).toEqual([]);
  });

  it.each([
    ['whose page has other records when it is read again', [page('[1]'), page('[2]'), reply('c:1')]],
    ['that says something else under the same id', [reply('c:0'), reply('c:0', { text: 'b' })]],
    ['that is another final one', [reply('c:1'), reply('c:0')]],
    ['before which one is missing', [reply('c:0', { isFinal: false }), reply('c:2')]],
  ])('finds a reply %s', (_, replies) => {
    const wrong = entry({ replies });
    expect(verdictOf([wrong]).wrong).toEqual([wrong]);
  });

  it('lets a command that was published again be answered otherwise after a failure that may pass', () => {
    const replies = [failure('OVERLOADED', true), reply('c:0')];
    const both = entry({ replies });
    expect(verdictOf([both]).wrong).toEqual([both]);
    expect(verdictOf([{ ...both, publishes: 2 }]).wrong).toEqual([]);
    const final = { ...both, publishes: 2, replies: [failure('NICKNAME_TAKEN', false), reply('c:0')] };
    expect(verdictOf([final]).wrong).toEqual([final]);
    for (const called of [true, false]) {
      const expired = failure('COMMAND_EXPIRED', false, 1_050, { called });
      const answered = { ...both, publishes: 2, replies: [expired, reply('c:0')] };
      expect(verdictOf([answered]).wrong).toEqual(called ? [answered] : []);
    }
    const twice = [failure('OVERLOADED', true), failure('OVERLOADED', true, 1_060)];
    expect(verdictOf([{ ...both, publishes: 2, replies: twice }]).wrong).toEqual([]);
  });

  it('counts calls beyond one of a session, not of a report', () => {
    const calledMs = [1, 2, 3];
    const report = entry({ calledMs, type: 'report.rake.fetch' });
    expect(verdictOf([entry({ calledMs }), report])).toMatchObject({ extraCalls: 2 });
  });

  it('measures the others beside a command that is what the row breaks', () => {
    const poison = entry({
      isDisturbance: true,
      calledMs: [1, 2, 3],
      replies: [reply('c:0', { atMs: 40_000 })],
    });
    const verdict = verdictOf([entry(), poison]);
    expect(verdict).toMatchObject({ commands: 2, extraCalls: 0, largestMs: 100, slowest: [] });
  });

  it('shows the slowest command if it waited for more than half a minute', () => {
    const [slow, slower] = [32_000, 33_000].map((atMs) => entry({ replies: [reply('c:0', { atMs })] }));
    expect(verdictOf([entry(), slow as Entry, slower as Entry])).toMatchObject({
      largestMs: 32_000,
      slowest: [slower],
    });
  });

  it('counts failures', () => {
    const failed = entry({ replies: [failure('OVERLOADED', true)] });
    expect(verdictOf([failed, entry()])).toMatchObject({ failures: ['OVERLOADED'] });
  });
});

describe('recoveryMs', () => {
  it('is the longest time to the first answer to what was sent afterwards', () => {
    const at = (sentMs: number, atMs: number) => entry({ sentMs, replies: [reply('c:0', { atMs })] });
    const entries = [at(100, 5_000), at(1_000, 1_900), at(1_100, 1_400), at(3_000, 3_200)];
    expect(recoveryMs(entries, [1_000, 2_000])).toBe(1_200);
    expect(recoveryMs(entries, [])).toBe(0);
  });
});

describe('a ledger', () => {
  it('knows whether a reply is the first final one to a command of its own', () => {
    const ledger = new Ledger();
    ledger.sent('c', 'session.create');
    expect(ledger.replied(reply('c:0', { isFinal: false }))).toBe(false);
    expect(ledger.replied(reply('c:1'))).toBe(true);
    expect(ledger.replied(reply('c:1'))).toBe(false);
    expect(ledger.replied({ ...reply('c:1'), correlationId: 'another' })).toBe(false);
    expect(ledger.answered).toBe(1);
    ledger.replied({ ...reply('c:1'), isRedelivered: true });
    expect(ledger.entries[0]?.replies.map(({ messageId }) => messageId)).toEqual(['c:0', 'c:1', 'c:1']);
  });
});

describe('storyOf', () => {
  it('names the code of a failure', () => {
    const told = storyOf(entry({ replies: [failure('OVERLOADED', true)], calledMs: [] }), 0, []);
    expect(told).toBe('c (session.create): sent 1.000 s, replied OVERLOADED c:0 1.050 s');
  });

  it('tells what happened to a command in the order of the times, and what was broken around it', () => {
    const told = storyOf(entry({ deliveredMs: 1_010, acknowledgedMs: [1_090], replies: [] }), 0, [
      { atMs: 1_060, what: 'a worker is killed' },
      { atMs: 90_000, what: 'later' },
    ]);
    expect(told).toBe(
      'c (session.create): sent 1.000 s, delivered 1.010 s, called 1.050 s, [a worker is killed 1.060 s], acknowledged 1.090 s',
    );
  });
});
