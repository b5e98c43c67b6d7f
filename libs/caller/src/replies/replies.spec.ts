import { describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import { failure, message } from './message.fixture.ts';
import { Replies, type ReplyHandler } from './replies.ts';

const never = new AbortController().signal;
const created = (commandId: string) => message('session.created', { userId: 'p-1' }, { commandId });

/** Takes one message. @returns whether it was acknowledged, or requeued */
function taken(replies: Replies, one: ConsumeMessage): Promise<'acknowledged' | 'requeued'> {
  return new Promise((resolve) => {
    const settle = (how: 'acknowledged' | 'requeued') => () => resolve(how);
    replies.take({ message: one, acknowledge: settle('acknowledged'), requeue: settle('requeued') });
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
    const call = replies.expect('c-1');
    await taken(replies, created('c-1'));
    call.end();
    for (const id of ['c-1', 'c-2', 'c-2', 'c-3']) {
      expect(await taken(replies, created(id))).toBe('acknowledged');
    }
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
    expect(await taken(new Replies(undefined), created('c-1'))).toBe('acknowledged');
    expect(await taken(handled().replies, message('session.created', '{'))).toBe('acknowledged');
  });

  it('refuses an id that is under way', () => {
    const { replies } = handled();
    const first = replies.expect('c-1');
    expect(() => replies.expect('c-1')).toThrow(expect.objectContaining({ code: 'ID_IN_USE' }));
    first.end();
    expect(() => replies.expect('c-1')).not.toThrow();
  });

  it('has 10,000 calls under way at most', () => {
    const { replies } = handled();
    for (let call = 0; call < 10_000; call += 1) replies.expect(`c-${call}`);
    expect(() => replies.expect('one more')).toThrow(expect.objectContaining({ code: 'TOO_MANY_CALLS' }));
  });

  it('has every call send its command again once its queue is lost', async () => {
    const { replies } = handled();
    const lost = replies.expect('c-1').next(never);
    replies.lose();
    await expect(lost).rejects.toMatchObject({ code: 'REPLY_LOST', retryable: true });
  });

  it('ends the wait with the reason of the signal', async () => {
    const reason = new Error('nobody waits');
    await expect(handled().replies.expect('c-1').next(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
