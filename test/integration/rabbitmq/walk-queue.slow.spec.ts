import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { walkQueue } from '../../../libs/rabbitmq/src/kept/walk-queue.ts';
import { drain, openConnection, type TestConnection, uniquePrefix } from '../../support/broker.ts';
import { until } from '../../support/until.ts';

jest.setTimeout(120_000);

const ACK_PAUSE_MS = 5;
const SILENCE_MS = 10_000;

describe('a walk through a quorum queue', () => {
  let open: TestConnection;
  let queue: string;
  beforeAll(async () => {
    open = await openConnection();
  });
  afterAll(async () => {
    await open?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    queue = `${uniquePrefix()}-walked`;
    // Like the queue of parked replies: without a limit, requeued messages go to the tail on some releases.
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
  /** Walks on a channel of its own, and acknowledges the given messages. */
  const walk = async (isTaken: (n: number) => boolean = () => false): Promise<string[]> => {
    const channel = await open.connection.createChannel();
    const seen: string[] = [];
    for await (const { message, acknowledge } of walkQueue(channel, queue, { silenceMs: SILENCE_MS })) {
      const text = message.content.toString();
      seen.push(text);
      if (!isTaken(Number(text))) continue;
      acknowledge();
      // Beyond 32 that the queue has not applied yet, RabbitMQ holds them back, and drops them with the channel.
      await sleep(ACK_PAUSE_MS);
    }
    await channel.close();
    return seen;
  };
  const isBack = (count: number) =>
    until(`${count} are back`, async () => (await open.channel.checkQueue(queue)).messageCount === count);

  it('finds nothing in an empty one', async () => {
    expect(await walk()).toEqual([]);
  });

  it.each([1, 99, 100, 101, 1_000, 10_000])('finds %i messages in order, each time', async (count) => {
    await put(0, count);
    for (let times = 0; times < 2; times += 1) {
      expect(await walk()).toEqual(numbers(0, count));
      await isBack(count);
    }
    expect(await drain(open.channel, queue)).toEqual(numbers(0, count));
  });

  it('leaves the messages that it did not take in order, with those that arrived meanwhile', async () => {
    await put(0, 3_000);
    await walk((n) => n % 10 === 0);
    await isBack(2_700);
    await put(3_000, 3_100);
    await walk((n) => n >= 3_000 && n % 2 === 0);
    await isBack(2_750);
    const left = numbers(0, 3_100).filter((text) =>
      Number(text) < 3_000 ? Number(text) % 10 !== 0 : Number(text) % 2 !== 0,
    );
    expect(await drain(open.channel, queue)).toEqual(left);
  });
});
