import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { topologyOf } from '#messaging';
import { KeptQueue } from '#messaging/operator';

import { drained, openConnection, testBrokerCtl, testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { stackForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const COUNT = 150;
const TEN_MINUTES_MS = 600_000;

const open = stackForAll().use(await openConnection());

describe('the queue of dead letters, for an operator', () => {
  let prefix: string;
  let queue: string;
  let target: string;
  let kept: KeptQueue;
  beforeEach(async () => {
    prefix = uniquePrefix();
    const { queues, names } = topologyOf(prefix, []);
    queue = names.deadLetters;
    target = `${prefix}-target`;
    const declaration = queues.find(({ name }) => name === queue)!;
    await open.channel.assertQueue(queue, { durable: true, arguments: declaration.arguments });
    await open.channel.assertQueue(target, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
    for (const messageId of numbers(0, COUNT))
      open.channel.sendToQueue(queue, Buffer.from(messageId), { persistent: true, messageId });
    await open.channel.waitForConfirms();
    kept = await KeptQueue.open({ urls: [testBrokerUrl()], prefix, queue: 'deadLetters' });
  });
  afterEach(async () => {
    await kept?.[Symbol.asyncDispose]();
    for (const name of [queue, target]) await open.channel.deleteQueue(name);
  });

  const readAll = (): Promise<string[]> => kept.readAll(({ facts }) => facts.id);

  it('is processed in batches, in order and exactly once, so that no message is held for long', async () => {
    const ids = numbers(10, COUNT);
    const chosen = new Set(
      await kept.readAll(({ facts: { id, key } }) => (ids.includes(id) ? key : undefined)),
    );
    const settled: string[] = [];
    const timesHeld: number[] = [];
    const options = { chosen, signal: new AbortController().signal, waiting: () => undefined };
    const clock = performance.now.bind(performance);
    let skippedMs = 0;
    using _ = jest.spyOn(performance, 'now').mockImplementation(() => clock() + skippedMs);
    const properties = { headers: {} };
    await kept.settle(options, async ({ facts, message: { content, properties: given } }, take) => {
      timesHeld.push(Number(given.headers?.['x-acquired-count'] ?? given.headers?.['x-delivery-count']));
      const outcome = await take({ exchange: '', routingKey: target, content, mandatory: true, properties });
      settled.push(`${facts.id} ${outcome}`);
      if (settled.length % 50 === 0) skippedMs += TEN_MINUTES_MS;
    });
    expect(settled).toEqual(numbers(10, COUNT).map((id) => `${id} done`));
    expect(timesHeld.at(-1)).toBeGreaterThan(timesHeld[0]!);
    expect(await drained(open.channel, target)).toEqual(numbers(10, COUNT));
    // The next one takes its turn at once, although the previous one is still connected.
    await using other = await KeptQueue.open({ urls: [testBrokerUrl()], prefix, queue: 'deadLetters' });
    const waiting = (): never => {
      throw new Error('nobody else settles anything');
    };
    const rest = new Set(await other.readAll(({ facts }) => facts.key));
    await other.settle({ ...options, chosen: rest, waiting }, async (_, take) => void (await take()));
    expect(await readAll()).toEqual([]);
  });

  it('is read again while another reader holds its messages', async () => {
    const holder = await open.connection.createChannel();
    const held: unknown[] = [];
    await holder.consume(queue, (message) => held.push(message));
    await until('all are held', () => held.length === COUNT);
    const reading = readAll();
    await sleep(2_500);
    await holder.close();
    expect(await reading).toEqual(numbers(0, COUNT));
  });

  it('reports at once that the user may not lock it', async () => {
    await testBrokerCtl('add_user', prefix, 'secret');
    await testBrokerCtl('set_permissions', prefix, '', '.*', '.*');
    const url = Object.assign(new URL(testBrokerUrl()), { username: prefix, password: 'secret' }).href;
    await using refused = await KeptQueue.open({ urls: [url], prefix, queue: 'deadLetters' });
    const chosen = new Set(await refused.readAll(({ facts }) => facts.key));
    const settling = refused.settle(
      { chosen, signal: AbortSignal.timeout(5_000), waiting: () => undefined },
      async (_, take) => void (await take()),
    );
    await expect(settling).rejects.toMatchObject({ fault: 'access-refused' });
    expect(await readAll()).toEqual(numbers(0, COUNT));
  });
});

function numbers(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, n) => String(from + n));
}
