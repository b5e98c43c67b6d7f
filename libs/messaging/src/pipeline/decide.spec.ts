import { describe, expect, it } from '@jest/globals';

import type { Reply } from '#contracts';

import { MemoryIdempotencyStore } from '../idempotency/memory-idempotency-store.ts';
import type { MessagingObserver } from '../messaging-observer.ts';
import { UnconfirmedError } from '../publishing/confirmed-publisher.ts';
import type { ReplySender } from '../replies/reply-sender.ts';
import { commandOf, RECEIVED_AT_MS } from './command-in-hand.fixture.ts';
import { type CommandHandler, Decision } from './decide.ts';

const nowMs = () => RECEIVED_AT_MS;
const CREATED: Reply = {
  type: 'session.created',
  data: { userId: 'p-1', sessionId: 's-1', auth: 'a', redirectUrl: 'https://play.example' },
};

function decisionWith(handler: CommandHandler): Decision {
  return new Decision({
    handlers: new Map([['session.create', handler]]),
    hasOperator: () => true,
    idempotency: new MemoryIdempotencyStore(60_000, nowMs),
    replies: {} as ReplySender,
    observer: { commandReplayed: () => undefined } as unknown as MessagingObserver,
    nowMs,
  });
}

describe('Decision', () => {
  it('frees the identity of a command that the broker left undecided, and whoever waits for it does it', async () => {
    const { promise: isTaken, reject: loseBroker } = Promise.withResolvers<Reply>();
    const runs: (() => Promise<Reply>)[] = [() => isTaken, () => Promise.resolve(CREATED)];
    const decision = decisionWith(() => runs.shift()!());
    const undecided = decision.of(commandOf());
    const repeat = decision.of(commandOf());
    loseBroker(new UnconfirmedError('no broker'));
    await expect(undecided).rejects.toThrow(UnconfirmedError);
    expect(await repeat).toEqual({ reply: CREATED });
    expect(await decision.of(commandOf())).toEqual({ reply: CREATED });
    expect(runs).toEqual([]);
  });
});
