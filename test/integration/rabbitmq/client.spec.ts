import { randomBytes } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import {
  BrokerConnection,
  ConfirmedPublisher,
  type Delivery,
  DirectReplies,
  type OutgoingMessage,
  QueueConsumer,
} from '#rabbitmq';

import { openConnection, type TestConnection, testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { until } from '../../support/until.ts';

const MANY = 40;
const ALWAYS = () => true;

function messageTo(routingKey: string, rest: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    exchange: '',
    routingKey,
    content: Buffer.from('{}'),
    mandatory: true,
    properties: { headers: {} },
    ...rest,
  };
}

let open: TestConnection;
let queue: string;
beforeAll(async () => {
  open = await openConnection();
  queue = `${uniquePrefix()}-client`;
  await open.channel.assertQueue(queue, { arguments: { 'x-queue-type': 'quorum' } });
});
afterAll(async () => {
  await open.channel.deleteQueue(queue);
  await open[Symbol.asyncDispose]();
});

describe('a connection', () => {
  const refusalOf = async (change: (url: URL) => void): Promise<unknown> => {
    const url = new URL(testBrokerUrl());
    change(url);
    const connection = new BrokerConnection({ urls: [url.href], name: 'refused' });
    const startedMs = performance.now();
    const error = await connection.ready(2_000).catch((refusal: unknown) => refusal);
    await connection.close();
    return { error, state: connection.state.kind, isEarly: performance.now() - startedMs < 2_000 };
  };

  it.each([
    [
      'a wrong password',
      'login-refused',
      (url: URL) => (url.password = 'wrong'),
      /refuses this user or password/,
    ],
    [
      'a virtual host that is none',
      'virtual-host-refused',
      (url: URL) => (url.pathname = '/none'),
      /virtual host \/none/,
    ],
  ])('with %s is refused at once: %s', async (_, fault, change, message) => {
    const { error, isEarly } = (await refusalOf(change)) as { error: Error; isEarly: boolean };
    expect(error).toMatchObject({ name: 'BrokerError', fault, message: expect.stringMatching(message) });
    expect(isEarly).toBe(true);
  });

  it('that nobody takes fails after its time, and says why', async () => {
    const { error } = (await refusalOf((url) => (url.port = '1'))) as { error: Error };
    expect(error).toMatchObject({ fault: 'unreachable', message: expect.stringContaining('ECONNREFUSED') });
  });
});

describe('a publisher', () => {
  let publisher: ConfirmedPublisher;
  let connection: BrokerConnection;
  let opened: number;
  beforeEach(async () => {
    opened = 0;
    publisher = new ConfirmedPublisher();
    connection = new BrokerConnection({
      urls: [testBrokerUrl()],
      name: 'publisher',
      setUp: (model) => {
        opened += 1;
        return publisher.attach(model, connection);
      },
    });
    await connection.ready(10_000);
  });
  afterEach(async () => {
    publisher.close();
    await connection.close();
  });
  const publishBesides = (bad: OutgoingMessage) => {
    const good = () => Array.from({ length: MANY / 2 }, () => publisher.publish(messageTo(queue), ALWAYS));
    const before = good();
    const refused = publisher.publish(bad, ALWAYS).catch((error: unknown) => error);
    return Promise.all([refused, Promise.all([...before, ...good()])] as const);
  };

  it.each([
    ['for another user', 406, messageTo('any', { properties: { userId: 'somebody else', headers: {} } })],
    ['to an exchange that is none', 404, messageTo('any', { exchange: 'no such exchange' })],
    [
      'with an expiration that is none',
      406,
      messageTo('any', { properties: { expiration: 'soon', headers: {} } }),
    ],
  ])('has a message %s fail alone (%i), and no other', async (_, code, bad) => {
    const [refused, others] = await publishBesides(bad);
    expect(refused).toMatchObject({ name: 'PublishRefusedError', code });
    expect(new Set(others)).toEqual(new Set(['confirmed']));
    expect(opened).toBe(1);
  });

  it('gives a message up after its time while there is no connection', async () => {
    await connection.close();
    await expect(publisher.publish(messageTo(queue), ALWAYS, 200)).rejects.toThrow(
      /confirmed the message in 200 ms/,
    );
  });
});

describe('direct replies', () => {
  let replies: DirectReplies;
  beforeEach(() => {
    replies = new DirectReplies({ urls: [testBrokerUrl()], name: 'direct replies' });
  });
  afterEach(() => replies.close());
  const publish = (key: string) =>
    replies.publish(messageTo(`amq.rabbitmq.reply-to.${key}`, { mandatory: false }), ALWAYS);

  it('of a key that the broker cannot read are returned, and the others arrive', async () => {
    await open.channel.purgeQueue(queue);
    const received: string[] = [];
    await open.channel.consume(
      'amq.rabbitmq.reply-to',
      (message) => received.push(String(message?.content)),
      {
        noAck: true,
      },
    );
    open.channel.sendToQueue(queue, Buffer.alloc(0), { replyTo: 'amq.rabbitmq.reply-to' });
    const asked = await until('the key is known', () => open.channel.get(queue, { noAck: true }));
    const key = String(asked.properties.replyTo).slice('amq.rabbitmq.reply-to.'.length);
    const bad = Array.from({ length: 5 }, (_, index) => publish(`QUFB.${index}`));
    const outcomes = await Promise.all([...bad, publish(key)]);
    expect(outcomes).toEqual([...bad.map(() => 'returned'), 'confirmed']);
    await until('it is there', () => received.length > 0);
    expect(new Set(received)).toEqual(new Set(['{}']));
  });
});

describe('a consumer', () => {
  it('whose handler throws, or whose connection is lost, gets the message again', async () => {
    const connection = new BrokerConnection({ urls: [testBrokerUrl()], name: 'consumer' });
    const seen: Delivery[] = [];
    const consumer = new QueueConsumer({
      queue,
      prefetch: 10,
      handle: async (delivery) => {
        seen.push(delivery);
        if (seen.length === 1) throw new Error('at the first time');
        if (seen.length === 2) await new Promise(() => undefined);
        delivery.acknowledge();
      },
    });
    await open.channel.purgeQueue(queue);
    consumer.start(connection);
    connection.open();
    const body = randomBytes(8).toString('hex');
    open.channel.sendToQueue(queue, Buffer.from(body));
    await until('it is there twice', () => seen.length === 2);
    connection.reset(await connection.established(), 'lost by a test');
    await until('it is there again', () => seen.length === 3);
    expect(seen.map(({ message }) => message.content.toString())).toEqual([body, body, body]);
    expect(seen.map(({ isLost }) => isLost)).toEqual([false, true, false]);
    await consumer.drain(0);
    await connection.close();
    expect((await open.channel.checkQueue(queue)).messageCount).toBe(0);
  });
});
