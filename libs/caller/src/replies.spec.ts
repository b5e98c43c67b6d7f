import { describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';
import fc from 'fast-check';

import { failure, message } from './message.fixture.ts';
import { Replies, type ReplyHandler } from './replies.ts';
import { parseExactJson, readReply } from './reply.ts';

describe('readReply', () => {
  it('gives each failure of a command that was sent again an id of its own', () => {
    const [first, second] = ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:01.000Z'].map(
      (at) => readReply(message('command.failed', failure('OVERLOADED', at))).id,
    );
    expect(first).not.toBe(second);
  });

  it.each(['{', '{"a":1234567890123456', '5', 'null', ''])('refuses the body %j', (body) => {
    expect(() => readReply(message('session.created', body))).toThrow(
      expect.objectContaining({ code: 'REPLY_UNREADABLE', commandId: 'c-1' }),
    );
  });
});

describe('parseExactJson', () => {
  it('reads every integer with all its digits', () => {
    fc.assert(
      fc.property(fc.bigInt(), (integer) => {
        const [read] = parseExactJson(`[${integer}]`) as [number | bigint];
        expect(String(read)).toBe(String(integer));
      }),
    );
  });

  it('reads everything else as JSON.parse does, also beside a long integer', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const [long, read] = parseExactJson(`[1234567890123456789,${text}]`) as [unknown, unknown];
        expect(long).toBe(1_234_567_890_123_456_789n);
        // A whole number that a double holds may be beyond 2^53, too.
        expect(
          JSON.stringify(read, (_name, member) => (typeof member === 'bigint' ? Number(member) : member)),
        ).toBe(text);
      }),
    );
  });

  it.each([
    ['"12345678901234567890"', '12345678901234567890'],
    [String.raw`"\"a\":12345678901234567890,"`, '"a":12345678901234567890,'],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['12345678901234567890.5', 12345678901234567000],
    ['0.12345678901234567890', 0.12345678901234568],
    ['1.5e-1234567890123456', 0],
    ['{"a":-12345678901234567890}', { a: -12345678901234567890n }],
  ])('reads %s', (text, expected) => {
    expect(parseExactJson(text)).toEqual(expected);
  });
});

const never = new AbortController().signal;
const created = (commandId: string) => message('session.created', { userId: 'p-1' }, { commandId });

/** Takes one message. @returns whether it was acknowledged, or requeued */
function taken(replies: Replies, one: ConsumeMessage): Promise<'acknowledged' | 'requeued'> {
  return new Promise((resolve) => {
    const acknowledge = (): void => resolve('acknowledged');
    replies.take({ message: one, acknowledge }).catch(() => resolve('requeued'));
  });
}

function handled(handler?: ReplyHandler) {
  const seen: string[] = [];
  const replies = new Replies(async (reply) => {
    seen.push(reply.commandId);
    await handler?.(reply);
  });
  return { replies, seen };
}

describe('Replies', () => {
  it('gives a call its reply, also one that came before it looked', async () => {
    const { replies, seen } = handled();
    const [early, late] = [replies.expect('early'), replies.expect('late')];
    expect(await taken(replies, created('early'))).toBe('acknowledged');
    const waiting = late.next(never);
    expect(await taken(replies, created('late'))).toBe('acknowledged');
    expect([(await early.next(never)).commandId, (await waiting).commandId]).toEqual(['early', 'late']);
    expect(seen).toEqual([]);
  });

  it('gives a call that sends again each failure, though they have one message id', async () => {
    const awaited = handled().replies;
    const call = awaited.expect('c-1');
    for (const at of ['12:00:00', '12:00:00', '12:00:01']) {
      await taken(awaited, message('command.failed', failure('OVERLOADED', at)));
      expect((await call.next(never)).data).toMatchObject({ occurredAt: at });
    }
  });

  it('gives what no call awaits to the handler, each reply once', async () => {
    const { replies, seen } = handled();
    replies.expect('c-1');
    await taken(replies, created('c-1'));
    replies.forget('c-1');
    for (const id of ['c-1', 'c-2', 'c-2', 'c-3'])
      expect(await taken(replies, created(id))).toBe('acknowledged');
    expect(seen).toEqual(['c-2', 'c-3']);
  });

  it('gives a reply to the handler again if it fails', async () => {
    const { replies, seen } = handled(() => {
      if (seen.length === 1) throw new Error('no database');
    });
    expect(await taken(replies, created('c-1'))).toBe('requeued');
    expect(await taken(replies, created('c-1'))).toBe('acknowledged');
    expect(seen).toEqual(['c-1', 'c-1']);
  });

  it('drops what nobody awaits or can read', async () => {
    expect(await taken(new Replies(), created('c-1'))).toBe('acknowledged');
    expect(await taken(handled().replies, message('session.created', '{'))).toBe('acknowledged');
  });

  it('has one call under way for an id, and 10,000 at most', () => {
    const { replies } = handled();
    for (let call = 1; call <= 10_000; call += 1) replies.expect(`c-${call}`);
    expect(() => replies.expect('c-1')).toThrow(expect.objectContaining({ code: 'ID_IN_USE' }));
    expect(() => replies.expect('one more')).toThrow(expect.objectContaining({ code: 'TOO_MANY_CALLS' }));
    replies.forget('c-1');
    expect(() => replies.expect('c-1')).not.toThrow();
  });

  it('has every call send its command again once its queue is lost', async () => {
    const { replies } = handled();
    const lost = replies.expect('c-1').next(never);
    replies.lose();
    await expect(lost).rejects.toMatchObject({ code: 'REPLY_LOST', retryable: true });
  });
});
