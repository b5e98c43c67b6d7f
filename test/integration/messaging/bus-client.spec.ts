import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { BusClient, type BusReply } from '#messaging/client';

import {
  openConnection,
  testBrokerCtl,
  testBrokerUrl,
  type TestConnection,
  uniquePrefix,
} from '../../support/broker.ts';
import { until } from '../../support/until.ts';

const PREFETCH = 8;
const PAGES = 30;
const DEADLINE_MS = 60_000;

describe('a caller on the bus', () => {
  let prefix: string;
  let worker: TestConnection;
  let client: BusClient;
  beforeEach(async () => {
    prefix = uniquePrefix();
    worker = await openConnection();
    await worker.channel.assertExchange(`${prefix}.commands`, 'direct', { autoDelete: true });
    await worker.channel.assertQueue(`${prefix}.reports`, { exclusive: true });
    for (const type of ['report.rake.fetch', 'game.open']) {
      await worker.channel.bindQueue(`${prefix}.reports`, `${prefix}.commands`, type);
    }
    client = await BusClient.open({ urls: [testBrokerUrl()], prefix, appId: 'a test' });
  });
  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    await worker[Symbol.asyncDispose]();
  });

  const command = (id: string, type = 'report.rake.fetch') => ({
    type,
    id,
    text: '{}',
    deadlineMs: DEADLINE_MS,
  });
  const taken = () =>
    until('the worker has it', () => worker.channel.get(`${prefix}.reports`, { noAck: true }));

  it('holds at most eight replies while its reader reads none; the broker keeps the rest', async () => {
    const replies = client.send(command('slow'));
    const first = replies.next();
    const { properties } = await taken();
    for (let sequence = 0; sequence < PAGES; sequence += 1) {
      const headers = { sequence, final: sequence === PAGES - 1 };
      worker.channel.sendToQueue(String(properties.replyTo), Buffer.from('{}'), {
        correlationId: 'slow',
        headers,
      });
    }
    await worker.channel.waitForConfirms();
    expect((await first).value).toMatchObject({ sequence: 0 });
    // The queue is exclusive to the caller, so that no other connection may read its length.
    const left = async () => {
      const queues = await testBrokerCtl('--quiet', 'list_queues', 'name', 'messages_ready');
      const line = queues.split('\n').find((each) => each.startsWith(String(properties.replyTo)));
      return Number(line?.split('\t')[1]);
    };
    await until('the broker holds the rest back', async () => (await left()) === PAGES - PREFETCH);
    const read: BusReply[] = [];
    for await (const reply of replies) read.push(reply);
    expect(read.map(({ sequence }) => sequence)).toEqual(Array.from({ length: PAGES - 1 }, (_, n) => n + 1));
    expect(await left()).toBe(0);
  });

  it('has at most a thousand commands in flight', async () => {
    const underWay = Array.from({ length: 1_000 }, (_, index) =>
      client.send(command(`c-${index}`, 'game.open')),
    );
    const answers = underWay.map((replies) => replies.next());
    for (const answer of answers) answer.catch(() => undefined);
    await expect(client.send(command('one more')).next()).rejects.toMatchObject({ fault: 'not-taken' });
    const { properties } = await taken();
    const queue = `${prefix}.reports`;
    const waiting = async () => (await worker.channel.checkQueue(queue)).messageCount;
    await until('all others have come', async () => (await waiting()) === underWay.length - 1);
    await worker.channel.purgeQueue(queue);
    const correlationId = String(properties.correlationId);
    worker.channel.sendToQueue(String(properties.replyTo), Buffer.from('{}'), {
      correlationId,
      headers: { sequence: 0, final: true },
    });
    const index = Number(correlationId.slice(2));
    await answers[index];
    await underWay[index]?.next();
    const next = client.send(command('one more')).next();
    next.catch(() => undefined);
    // Some of the thousand came after the purge.
    while ((await taken()).properties.correlationId !== 'one more');
  });
});
