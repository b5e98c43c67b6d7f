import { describe, expect, it } from '@jest/globals';

import { CommandError, type Reply } from '#contracts';

import { commandOf, copiedCommandOf, RECEIVED_AT_MS } from '../../command/command.fixture.ts';
import { MemoryIdempotencyStore } from '../../idempotency/memory-idempotency-store.ts';
import type { MessagingObserver } from '../../observer/messaging-observer.ts';
import type { Settlement } from '../settlement.ts';
import type { Next } from '../step.ts';
import { deduplicate } from './deduplicate.ts';

const nowMs = () => RECEIVED_AT_MS;
const CREATED: Reply = {
  type: 'session.created',
  data: { userId: 'p-1', sessionId: 's-1', auth: 'a', redirectUrl: 'https://play.example' },
};
const ANSWER: Settlement = { kind: 'answer', reply: CREATED };

/** The step before a list of runs, each of which is made once. */
function deduplicated(...runs: (() => Promise<Settlement>)[]) {
  const replayed: string[] = [];
  const observer = { commandReplayed: ({ id }: { id: string }) => replayed.push(id) };
  const idempotency = new MemoryIdempotencyStore(60_000, nowMs);
  const step = deduplicate({ idempotency, observer: observer as unknown as MessagingObserver, nowMs });
  const next: Next = () => runs.shift()!();
  return {
    runs,
    replayed,
    settle: (facts?: Parameters<typeof commandOf>[0]) => step(commandOf(facts), next),
    settleCopy: (facts?: Parameters<typeof commandOf>[0]) => step(copiedCommandOf(facts), next),
  };
}

describe('deduplicate', () => {
  it('replays the reply of a command that was answered', async () => {
    const { settle, replayed } = deduplicated(() => Promise.resolve(ANSWER));
    expect(await settle()).toEqual(ANSWER);
    expect(await settle()).toEqual(ANSWER);
    expect(replayed).toEqual(['m-1']);
  });

  it('frees the identity of a command that was left to the broker, and a repeat that waits runs', async () => {
    const { promise, resolve } = Promise.withResolvers<Settlement>();
    const { settle, runs } = deduplicated(
      () => promise,
      () => Promise.resolve(ANSWER),
    );
    const first = settle();
    const repeat = settle();
    const returned: Settlement = { kind: 'return', cause: new Error('no broker') };
    resolve(returned);
    expect(await first).toEqual(returned);
    expect(await repeat).toEqual(ANSWER);
    expect(await settle()).toEqual(ANSWER);
    expect(runs).toEqual([]);
  });

  it('refuses another command under the same identity', async () => {
    const { settle } = deduplicated(() => Promise.resolve(ANSWER));
    await settle();
    await expect(settle({ body: { userId: 'p-2' } })).rejects.toEqual(
      new CommandError('IDEMPOTENCY_CONFLICT'),
    );
  });

  it('runs a redriven command again, once, and believes a sealed count alone', async () => {
    const { settle, settleCopy, runs } = deduplicated(
      () => Promise.resolve(ANSWER),
      () => Promise.resolve(ANSWER),
      () => Promise.resolve(ANSWER),
    );
    await settle();
    await settleCopy({ headers: { 'x-redriven': 1 } });
    await settleCopy({ headers: { 'x-redriven': 1 } });
    expect(runs).toHaveLength(1);
    await settle({ headers: { 'x-redriven': 2 } });
    expect(runs).toHaveLength(1);
    await settleCopy({ headers: { 'x-redriven': 2 } });
    expect(runs).toEqual([]);
  });

  it('runs a report each time', async () => {
    const report = { queue: 'poker.reports', properties: { type: 'report.rake.fetch' } };
    const { settle, runs } = deduplicated(
      () => Promise.resolve(ANSWER),
      () => Promise.resolve(ANSWER),
    );
    await settle(report);
    await settle(report);
    expect(runs).toEqual([]);
  });
});
