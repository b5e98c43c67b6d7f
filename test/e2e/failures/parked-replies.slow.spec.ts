import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConsumeMessage, Options } from 'amqplib';

import { uniquePrefix } from '../../support/broker.ts';
import { healthy, PAGED_DAY } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { idsOf, INTERNAL_KEY, sealWith } from '../cli/kept-messages.ts';
import { expectedProperties } from '../commands/expected-properties.ts';
import type { WorkerUnderTest } from '../../support/worker-under-test.ts';

const PAGES = 5;
const SESSION = { userId: 'p-1' };
/** Source: bus contract, section 5. */
const PROMISED_MS = 10_000;
const OTHERS = 1_500;
/** Time for several walks of a worker through the parked replies. */
const WALKS_MS = 8_000;

describe('a parked reply', () => {
  const service = serviceForAll({ behaviour: healthy(PAGES), variables: { INTERNAL_KEY } });
  let workers: WorkerUnderTest[];
  let replyTo: string;
  let parked: string;
  const queues: string[] = [];

  beforeAll(async () => {
    workers = [await service.worker(), await service.worker()];
    parked = service.name('replies.undelivered');
  });
  beforeEach(() => void (replyTo = newQueue()));
  afterEach(async () => {
    for (const queue of queues.splice(0)) await service.caller.channel.deleteQueue(queue);
    await service.caller.channel.purgeQueue(parked);
  });

  const newQueue = (): string => {
    const queue = `${uniquePrefix()}-replies`;
    queues.push(queue);
    return queue;
  };
  const publish = (type: string, body: object, messageId: string, to = replyTo): void =>
    service.caller.publish(type, body, { messageId, correlationId: messageId, replyTo: to });
  const depth = async (queue: string): Promise<number> =>
    (await service.caller.channel.checkQueue(queue)).messageCount;
  const areParked = (count: number) =>
    until(`${count} are parked`, async () => (await depth(parked)) === count, 30_000);
  const declare = (queue = replyTo, args: Options.AssertQueue['arguments'] = {}) =>
    service.caller.channel.assertQueue(queue, { durable: true, arguments: args });
  const arrive = async (count: number, queue = replyTo): Promise<ConsumeMessage[]> => {
    await until(`${count} arrive`, async () => (await depth(queue)) >= count, 30_000);
    return service.caller.drain(queue);
  };
  const forwarded = async (): Promise<number> => {
    const counts = workers.map((worker) => worker.metric('poker_replies_forwarded_total'));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };

  it('is never a page of a report: pages wait for their queue in a retry queue, and arrive in sequence', async () => {
    publish('report.rake.fetch', PAGED_DAY, 'report');
    await until('it waits', async () => (await depth(service.name('reports.retry.5000'))) === 1);
    expect(await depth(parked)).toBe(0);
    await declare();
    expect(idsOf(await arrive(PAGES + 1))).toEqual(
      Array.from({ length: PAGES + 1 }, (_, sequence) => `report:${sequence}`),
    );
  });

  it('is delivered unchanged once its queue exists', async () => {
    publish('session.create', SESSION, 'session');
    await areParked(1);
    const before = await forwarded();
    await declare();
    const replies = await arrive(1);
    const reply = { type: 'session.created', id: 'session', commandType: 'session.create' };
    expect(replies.at(-1)?.properties).toMatchObject(
      expectedProperties({ ...reply, correlationId: 'session' }),
    );
    await areParked(0);
    await until('it is counted', async () => (await forwarded()) - before === 1);
    const lines = () =>
      workers.flatMap(({ log }) => log.filter(({ msg }) => msg === 'parked replies delivered'));
    const logged = () => lines().reduce((sum, line) => sum + Number(line['replies']), 0);
    await until('it is logged', () => logged() === 1);
    for (const line of lines()) expect(line).toMatchObject({ level: 'info', queue: replyTo });
  });

  it('is delivered once its queue has room again, without delaying other callers', async () => {
    await declare(replyTo, { 'x-max-length': 1, 'x-overflow': 'reject-publish' });
    service.caller.channel.sendToQueue(replyTo, Buffer.from('in the way'));
    publish('session.create', SESSION, 'refused');
    await service.expectServed();
    await areParked(1);
    await service.caller.drain(replyTo);
    expect(idsOf(await arrive(1))).toEqual(['refused:0']);
    await areParked(0);
  });

  it('is overtaken by replies to other queues, and keeps its position in every walk', async () => {
    const back = newQueue();
    for (let n = 0; n < 6; n += 1) {
      publish('session.create', SESSION, `gone-${n}`);
      publish('session.create', SESSION, `back-${n}`, back);
      await areParked(2 * n + 2);
    }
    await declare(back);
    expect(idsOf(await arrive(6, back))).toEqual(Array.from({ length: 6 }, (_, n) => `back-${n}:0`));
    await sleep(WALKS_MS);
    await areParked(6);
    await declare();
    expect(idsOf(await arrive(6))).toEqual(Array.from({ length: 6 }, (_, n) => `gone-${n}:0`));
  });

  it('is delivered exactly once by any of several workers, in order with other replies', async () => {
    const ids = Array.from({ length: 250 }, (_, n) => `many-${n}`);
    for (const [n, id] of ids.entries()) {
      publish('session.create', SESSION, id);
      // The replies are parked one by one, in this order.
      await until('it is parked', async () => (await depth(parked)) > n);
    }
    await declare();
    await areParked(0);
    expect(idsOf(await arrive(ids.length))).toEqual(ids.map((id) => `${id}:0`));
  });

  it("is delivered within ten seconds of its queue's creation, behind many other replies", async () => {
    // With a single worker, no other worker walks while it pauses.
    await workers.pop()?.[Symbol.asyncDispose]();
    const other = newQueue();
    publish('session.create', SESSION, 'first');
    await areParked(1);
    for (let n = 0; n < OTHERS; n += 1) publish('session.create', SESSION, `other-${n}`, other);
    await areParked(1 + OTHERS);
    await declare(other);
    await until('they are being delivered', async () => (await depth(other)) > 0, 30_000);
    await declare();
    const fromMs = performance.now();
    await arrive(1);
    expect(performance.now() - fromMs).toBeLessThan(PROMISED_MS);
    const ids = idsOf(await arrive(OTHERS, other));
    expect(new Set(ids).size).toBe(OTHERS);
    expect(ids.length).toBe(OTHERS);
    workers.push(await service.worker());
  });

  it('stays parked if its destination is a queue of the service, a direct key or listeners, or no worker parked it', async () => {
    const { channel } = service.caller;
    const before = service.platform.requests.length;
    const seal = sealWith();
    const content = Buffer.from('{}');
    const park = (headers: Record<string, unknown>, isSealed = true): void => {
      const copy = { exchange: '', routingKey: parked, mandatory: true, content };
      const properties = { persistent: true, type: 'session.create', headers };
      const { properties: options } = isSealed ? seal({ ...copy, properties }) : { properties };
      channel.sendToQueue(parked, content, options);
    };
    const reason = { 'x-reason': 'REPLY_QUEUE_GONE' };
    park(reason);
    for (const queue of [service.name('interactive'), parked, 'amq.rabbitmq.reply-to.forged', ''])
      park({ ...reason, 'x-origin-queue': queue });
    await declare();
    park({ 'x-reason': 'EVENT_REFUSED', 'x-origin-queue': replyTo });
    park({ ...reason, 'x-origin-queue': replyTo }, false);
    park({ ...reason, 'x-origin-queue': replyTo });
    await arrive(1);
    await areParked(7);
    expect(service.platform.requests.length).toBe(before);
  });

  it('is delivered by another worker if the forwarding one dies', async () => {
    publish('session.create', SESSION, 'first');
    await areParked(1);
    await declare();
    await arrive(1);
    const forwarder = await until('it is logged', () =>
      workers.find(({ log }) => log.some(({ msg }) => msg === 'parked replies delivered')),
    );
    forwarder.kill('SIGKILL');
    const next = newQueue();
    publish('session.create', SESSION, 'second', next);
    await areParked(1);
    await declare(next);
    expect(idsOf(await arrive(1, next))).toEqual(['second:0']);
    expect(workers.map(({ stderr }) => stderr)).toEqual(['', '']);
  });
});

/** The number of deleted queues, with a parked reply each. */
const GONE = 4_000;
const SETTLED_MS = 15_000;
const MEASURED_MS = 20_000;
/** The maximum share of one processor on a busy test machine. */
const MOST_CPU = 0.1;

describe(`with ${GONE} parked replies of deleted queues`, () => {
  const service = serviceForAll({ behaviour: healthy(), variables: { INTERNAL_KEY }, workers: 1 });
  const cpuSeconds = () => service.running.metric('process_cpu_seconds_total');

  it("a worker delivers another caller's reply within ten seconds and uses little processor time", async () => {
    const { channel } = service.caller;
    const parked = service.name('replies.undelivered');
    const seal = sealWith();
    const park = (queue: string): void => {
      const headers = { 'x-reason': 'REPLY_QUEUE_GONE', 'x-origin-queue': queue };
      const properties = { persistent: true, type: 'session.created', headers };
      const content = Buffer.from(JSON.stringify(SESSION));
      const copy = seal({ exchange: '', routingKey: parked, mandatory: true, content, properties });
      channel.sendToQueue(parked, content, copy.properties);
    };
    const name = (n: number) => `${service.prefix}-gone-${n}`;
    for (let n = 0; n < GONE; n += 1) park(name(n));
    const ofOther = `${service.prefix}-other`;
    service.caller.publish('session.create', SESSION, { messageId: 'other', replyTo: ofOther });
    await sleep(SETTLED_MS);
    const [beforeSeconds, fromMs] = [await cpuSeconds(), performance.now()];
    await sleep(MEASURED_MS);
    const busy = (await cpuSeconds()) - beforeSeconds;
    const share = busy / ((performance.now() - fromMs) / 1_000);
    for (const queue of [ofOther, name(GONE - 1), name(GONE / 2), name(0)]) {
      const backMs = performance.now();
      await channel.assertQueue(queue, { exclusive: true });
      const arrived = async () => (await channel.checkQueue(queue)).messageCount > 0;
      await until('the reply arrives', arrived);
      expect(performance.now() - backMs).toBeLessThan(PROMISED_MS);
    }
    expect(share).toBeLessThan(MOST_CPU);
  });
});

const MIB = 1024 * 1024;
const PARKED_MIB = 240;
const MOST_GROWTH_MIB = 100;
/** Time for several walks of a worker through all these bytes. */
const LONG_WALKS_MS = 12_000;

describe.each([
  ['60 kB', 60_000],
  ['1 MiB', MIB],
])('with 240 MiB of parked replies, each of %s', (_, bytes) => {
  const service = serviceForAll({ behaviour: healthy(), variables: { INTERNAL_KEY } });

  it(`a worker uses at most ${MOST_GROWTH_MIB} MiB more, and leaves the replies in the queue`, async () => {
    const { channel } = service.caller;
    const parked = service.name('replies.undelivered');
    // The worker bypasses the proxy, which would share this process with the replies.
    await service.worker({ AMQP_URL: service.url });
    await service.caller.send('session.create', { userId: 'p-1' });
    const before = service.peakMib();

    const content = Buffer.alloc(bytes, 'x');
    const { properties } = sealWith()({
      exchange: '',
      routingKey: parked,
      mandatory: true,
      content,
      properties: {
        persistent: true,
        type: 'session.created',
        headers: { 'x-reason': 'REPLY_QUEUE_GONE', 'x-origin-queue': 'nobody-has-this-queue' },
      },
    });
    const count = (PARKED_MIB * MIB) / bytes;
    for (let n = 0; n < count; n += 1)
      if (!channel.sendToQueue(parked, content, properties)) await once(channel, 'drain');
    await sleep(LONG_WALKS_MS);
    const isParked = async () => (await service.depth('replies.undelivered')) === Math.ceil(count);
    await until('all are back in their places', isParked, 30_000);
    expect(service.peakMib() - before).toBeLessThan(MOST_GROWTH_MIB);
  });
});
