import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import {
  BrokerConnection,
  ConfirmedPublisher,
  type ConnectionState,
  type Delivery,
  QueueConsumer,
} from '#rabbitmq';

import { checkReading } from '../../../libs/rabbitmq/src/topology/access.ts';
import { messageTo } from '../../../libs/rabbitmq/src/outgoing-message.fixture.ts';
import { drained, openConnection, testBrokerCtl, testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { stackForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const MANY = 40;
/** Longer than a consumer waits before it checks its queue for messages. */
const IDLE_MS = 2_500;

const queue = `${uniquePrefix()}-client`;
// Released before the connection closes.
afterAll(() => open.channel.deleteQueue(queue));
const open = stackForAll().use(await openConnection());
await open.channel.assertQueue(queue, { arguments: { 'x-queue-type': 'quorum' } });
beforeEach(() => open.channel.purgeQueue(queue));

it('BrokerConnection reconnects if the broker does not answer during set-up', async () => {
  const states: ConnectionState[] = [];
  let setUps = 0;
  const connection = new BrokerConnection({
    urls: [testBrokerUrl()],
    name: 'set-up',
    setUp: () => ((setUps += 1) === 1 ? new Promise(() => undefined) : Promise.resolve()),
    setUpTimeoutMs: 100,
    onState: (state) => states.push(state),
  });
  connection.open();
  await connection.established();
  expect(states).toEqual([
    { kind: 'connecting', reason: 'the set-up was not answered in time' },
    { kind: 'open' },
  ]);
  await connection.close();
});

it('checkReading names the queue that may not be read', async () => {
  const user = uniquePrefix();
  await testBrokerCtl('add_user', user, 'secret');
  await testBrokerCtl('set_permissions', user, '.*', '.*', `^(?!${queue}$)`);
  const url = Object.assign(new URL(testBrokerUrl()), { username: user, password: 'secret' }).href;
  await using asking = await openConnection(url);
  await checkReading(asking.connection, [`${queue}-other`]);
  await expect(checkReading(asking.connection, [`${queue}-other`, queue])).rejects.toThrow(
    `read access to queue '${queue}'`,
  );
  await testBrokerCtl('delete_user', user);
});

describe('ConfirmedPublisher', () => {
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
        return publisher.attach(model);
      },
    });
    connection.open();
    await connection.established();
  });
  afterEach(async () => {
    publisher.close();
    await connection.close();
  });

  it.each([
    ['for another user', 406, messageTo('any', { properties: { userId: 'somebody else', headers: {} } })],
    ['to an exchange that does not exist', 404, messageTo('any', { exchange: 'no such exchange' })],
    ['with a wrong expiration', 406, messageTo('any', { properties: { expiration: 'soon', headers: {} } })],
  ])('rejects only the message %s, with code %i', async (_bad, code, bad) => {
    const good = () => Array.from({ length: MANY / 2 }, () => publisher.publish(messageTo(queue)));
    const before = good();
    const refused = publisher.publish(bad).catch((error: unknown) => error);
    const others = await Promise.all([...before, ...good()]);
    expect(await refused).toMatchObject({ name: 'PublishRefusedError', code });
    expect(new Set(others)).toEqual(new Set(['confirmed']));
    expect(opened).toBe(1);
  });

  it('distinguishes a queue that refuses a message from one that accepts it', async () => {
    const bounds = { 'x-max-length': 1, 'x-overflow': 'reject-publish' };
    const full = `${queue}-full`;
    await open.channel.assertQueue(full, { exclusive: true, arguments: bounds });
    const outcomes: string[] = [];
    for (const each of [full, full, queue]) outcomes.push(await publisher.publish(messageTo(each)));
    expect(outcomes).toEqual(['confirmed', 'refused', 'confirmed']);
    await open.channel.deleteQueue(full);
  });

  it('loses no confirmed message when a queue is deleted and redeclared', async () => {
    const again = `${queue}-again`;
    const publishAll = (bodies: readonly string[]) =>
      Promise.all(bodies.map((body) => publisher.publish(messageTo(again, { content: Buffer.from(body) }))));
    for (const bodies of [['a'], ['b'], ['c', 'd', 'e']]) {
      expect(await publishAll(['lost'])).toEqual(['returned']);
      await open.channel.assertQueue(again, { arguments: { 'x-queue-type': 'quorum' } });
      expect(new Set(await publishAll(bodies))).toEqual(new Set(['confirmed']));
      expect(new Set(await drained(open.channel, again))).toEqual(new Set(bodies));
      await open.channel.deleteQueue(again);
    }
  });
});

describe('QueueConsumer', () => {
  const MAX_BODY_BYTES = 64 * 1024;
  let connection: BrokerConnection;
  let seen: Delivery[];
  let consumer: QueueConsumer;
  const consume = (handle: (delivery: Delivery) => Promise<void> | void): void => {
    seen = [];
    connection = new BrokerConnection({ urls: [testBrokerUrl()], name: 'consumer' });
    consumer = new QueueConsumer({
      queue,
      prefetch: 100,
      maxBodyBytes: MAX_BODY_BYTES,
      handle: async (delivery) => {
        seen.push(delivery);
        await handle(delivery);
        delivery.acknowledge();
      },
    });
    consumer.start(connection);
    connection.open();
  };
  afterEach(async () => {
    await consumer.drain(0);
    await connection.close();
    expect((await open.channel.checkQueue(queue)).messageCount).toBe(0);
  });

  it('opens no channel to check whether its queue is empty', async () => {
    consume(() => undefined);
    const model = await connection.established();
    await until('it consumes', () => consumer.state === 'consuming');
    const opened = [jest.spyOn(model, 'createChannel'), jest.spyOn(model, 'createConfirmChannel')];
    await sleep(IDLE_MS);
    for (const spy of opened) expect(spy).not.toHaveBeenCalled();
  });

  it('redelivers a message if the handler throws or the connection is lost', async () => {
    consume(() => {
      if (seen.length === 1) throw new Error('at the first time');
      return seen.length === 2 ? new Promise(() => undefined) : undefined;
    });
    const body = randomBytes(8).toString('hex');
    open.channel.sendToQueue(queue, Buffer.from(body));
    await until('it is there twice', () => seen.length === 2);
    connection.reset(await connection.established(), 'lost by a test');
    await until('it is there again', () => seen.length === 3);
    expect(seen.map(({ message }) => message.content.toString())).toEqual([body, body, body]);
    expect(seen.map(({ isLost }) => isLost)).toEqual([false, true, false]);
  });

  it('acknowledges all deliveries that were settled before it stopped, in any order', async () => {
    const settle: (() => void)[] = [];
    consume(() => new Promise((resolve) => settle.push(resolve)));
    for (let n = 0; n < 100; n += 1) open.channel.sendToQueue(queue, Buffer.from('any'));
    await until('all are in flight', () => settle.length === 100);
    const stopped = consumer.drain(10_000);
    await sleep(100);
    for (const each of settle.slice(1)) each();
    setImmediate(() => settle[0]?.());
    await stopped;
  });

  it('truncates bodies that are too large, and no others', async () => {
    // Some bodies exceed RabbitMQ's default frame size.
    const sizes = [0, 1, MAX_BODY_BYTES, MAX_BODY_BYTES + 1, 128 * 1024, 1024 * 1024, 2, 5 * 1024 * 1024, 3];
    const bodyOf = (size: number) =>
      Buffer.from(Uint8Array.from({ length: size }, (_, index) => (index + size) % 251));
    consume(() => undefined);
    for (const size of sizes) open.channel.sendToQueue(queue, bodyOf(size));
    await until('all are delivered', () => seen.length === sizes.length);
    for (const [index, { message, bodyBytes }] of seen.entries()) {
      const size = sizes[index]!;
      const kept = bodyOf(size).subarray(0, size > MAX_BODY_BYTES ? 1024 : size);
      expect(bodyBytes).toBe(size);
      expect(message.content.equals(kept)).toBe(true);
      if (size > MAX_BODY_BYTES)
        expect(message.content.buffer.byteLength).toBeLessThanOrEqual(Buffer.poolSize);
    }
  });
});
