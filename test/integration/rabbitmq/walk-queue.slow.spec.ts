import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { walkQueue } from '#rabbitmq';

import { drained, openConnection, testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { stackForAll } from '../../support/suite-service.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';

const SILENCE_MS = 10_000;

const open = stackForAll().use(await openConnection());

describe('walkQueue', () => {
  let queue: string;
  beforeEach(async () => {
    queue = `${uniquePrefix()}-walked`;
    // As for the parked replies: without a delivery limit, some releases requeue messages at the tail.
    const args = { 'x-queue-type': 'quorum', 'x-delivery-limit': 1_000_000_000 };
    await open.channel.assertQueue(queue, { durable: true, arguments: args });
  });
  afterEach(async () => {
    await open.channel.deleteQueue(queue);
  });

  const put = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += 1)
      open.channel.sendToQueue(queue, Buffer.from(String(n)), { persistent: true });
    await open.channel.waitForConfirms();
  };
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => String(from + n));
  /** Walks the queue and acknowledges the given messages. */
  const walk = async (isTaken: (n: number) => boolean = () => false): Promise<string[]> => {
    const seen: string[] = [];
    await walkQueue(open.connection, queue, { silenceMs: SILENCE_MS }, async (messages) => {
      for await (const { message, acknowledge } of messages) {
        const text = message.content.toString();
        seen.push(text);
        if (isTaken(Number(text))) acknowledge();
      }
    });
    return seen;
  };

  it.each([0, 1, 101, 10_000])('returns %i messages in order, each time', async (count) => {
    await put(0, count);
    for (let times = 0; times < 2; times += 1) expect(await walk()).toEqual(numbers(0, count));
    expect(await drained(open.channel, queue)).toEqual(numbers(0, count));
  });

  it('removes all acknowledged messages at the end of the walk', async () => {
    await put(0, 200);
    await walkQueue(open.connection, queue, { silenceMs: SILENCE_MS }, async (messages) => {
      const shown = [];
      for await (const { acknowledge } of messages) shown.push(acknowledge);
      for (const acknowledge of shown) acknowledge();
    });
    expect(await drained(open.channel, queue)).toEqual([]);
  });

  it('removes messages acknowledged while the broker did not answer', async () => {
    await put(0, 2);
    await using proxy = await TcpProxy.start(testBrokerUrl());
    await using proxied = await openConnection(proxy.through(testBrokerUrl()));
    await walkQueue(proxied.connection, queue, { silenceMs: 500 }, async (walked) => {
      const messages = walked[Symbol.asyncIterator]();
      const { value } = await messages.next();
      proxy.stall();
      const next = messages.next();
      // The walk is waiting for the next batch.
      setTimeout(() => value?.acknowledge(), 100);
      await expect(next).rejects.toThrow('not answered in time');
      proxy.resume();
    });
    expect(await drained(open.channel, queue)).toEqual(['1']);
  });

  it('yields to the event loop after a hundred small messages', async () => {
    await put(0, 5_000);
    let turns = 0;
    const turn = (): NodeJS.Immediate => setImmediate(() => (turns += 1) && (next = turn()));
    let next = turn();
    const shown: number[] = [];
    await walkQueue(open.connection, queue, { silenceMs: SILENCE_MS }, async (messages) => {
      for await (const _ of messages) shown[turns] = (shown[turns] ?? 0) + 1;
    });
    clearImmediate(next);
    expect(shown.reduce((sum, count) => sum + count)).toBe(5_000);
    expect(Math.max(...Object.values(shown))).toBeLessThanOrEqual(100);
  });

  it('keeps unacknowledged messages in order, including new arrivals', async () => {
    await put(0, 3_000);
    await walk((n) => n % 10 === 0);
    await put(3_000, 3_100);
    await walk((n) => n >= 3_000 && n % 2 === 0);
    const left = numbers(0, 3_100).filter((text) =>
      Number(text) < 3_000 ? Number(text) % 10 !== 0 : Number(text) % 2 !== 0,
    );
    expect(await drained(open.channel, queue)).toEqual(left);
  });
});
