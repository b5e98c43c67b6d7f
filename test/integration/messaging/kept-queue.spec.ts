import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { topologyOf } from '#messaging';
import { type KeptQueue, openKeptQueue } from '#messaging/client';

import {
  drain,
  openConnection,
  testBrokerUrl,
  type TestConnection,
  uniquePrefix,
} from '../../support/broker.ts';
import { until } from '../../support/until.ts';

jest.setTimeout(120_000);

const COUNT = 150;

describe('the queue of dead letters, for a person', () => {
  let open: TestConnection;
  let prefix: string;
  let queue: string;
  let target: string;
  let kept: KeptQueue;
  beforeAll(async () => {
    open = await openConnection();
  });
  afterAll(async () => open?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    prefix = uniquePrefix();
    const { queues, names } = topologyOf(prefix, []);
    queue = names.deadLetters;
    target = `${prefix}-target`;
    const declaration = queues.find(({ name }) => name === queue)!;
    await open.channel.assertQueue(queue, { durable: true, arguments: declaration.arguments });
    await open.channel.assertQueue(target, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
    for (const messageId of numbers(0, COUNT)) {
      open.channel.sendToQueue(queue, Buffer.from(messageId), { persistent: true, messageId });
    }
    await open.channel.waitForConfirms();
    kept = await openKeptQueue({ urls: [testBrokerUrl()], prefix, queue: 'deadLetters' });
  });
  afterEach(async () => {
    await kept?.[Symbol.asyncDispose]();
    for (const name of [queue, target]) await open.channel.deleteQueue(name);
  });

  const look = (): Promise<string[]> => kept.look(({ facts }) => facts.id);

  it('is settled in rounds, so that no message is held for long: each once, in order', async () => {
    const ids = numbers(10, COUNT);
    const chosen = new Set(await kept.look(({ facts: { id, key } }) => (ids.includes(id) ? key : undefined)));
    const settled: string[] = [];
    await kept.settle({
      chosen,
      decide: ({ message }) => ({
        exchange: '',
        routingKey: target,
        content: message.content,
        mandatory: true,
        properties: { headers: {} },
      }),
      settled: ({ id }, outcome) => settled.push(`${id} ${outcome}`),
      ratePerSecond: 200,
      signal: new AbortController().signal,
      waiting: () => undefined,
      roundMs: 250,
    });
    expect(settled).toEqual(numbers(10, COUNT).map((id) => `${id} done`));
    expect(await drain(open.channel, target)).toEqual(numbers(10, COUNT));
    expect(await look()).toEqual(numbers(0, 10));
  });

  it('is looked at again while somebody else holds its messages', async () => {
    const holder = await open.connection.createChannel();
    const held: unknown[] = [];
    await holder.consume(queue, (message) => held.push(message));
    await until('all are held', () => held.length === COUNT);
    const looked = look();
    await sleep(300);
    await holder.close();
    expect(await looked).toEqual(numbers(0, COUNT));
  });
});

function numbers(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, n) => String(from + n));
}
