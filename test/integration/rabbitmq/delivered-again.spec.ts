import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import { BrokerConnection, type Delivery, QueueConsumer } from '#rabbitmq';

import {
  BrokerConnection as BrokerConnectionBrokerConnection,
  type ConnectionState,
} from '../../../libs/rabbitmq/src/connection/broker-connection.ts';
import { destroySocket } from '../../../libs/rabbitmq/src/connection/close-within.ts';
import { basicPublish } from '../../../libs/rabbitmq/src/publishing/basic-publish.ts';
import { ConfirmedPublisher } from '../../../libs/rabbitmq/src/publishing/confirmed-publisher.ts';
import type { OutgoingMessage } from '../../../libs/rabbitmq/src/publishing/outgoing-message.ts';
import { plainPublish } from '../../../libs/rabbitmq/src/publishing/plain-publish.fixture.ts';
import { openConnection, testBrokerUrl, type TestConnection, uniquePrefix } from '../../support/broker.ts';
import { until } from '../../support/until.ts';

describe('delivered again', () => {
  /** What a caller sends, and sends again if its reply queue was lost. */
  const COMMAND = { type: 'session.create', messageId: 'm-1', replyTo: 'lobby', persistent: true };
  const LOST = new Error('lost by a test');

  let caller: TestConnection;
  let queue: string;

  beforeEach(async () => {
    caller = await openConnection();
    queue = `${uniquePrefix()}-again`;
  });

  afterEach(async () => {
    await caller.channel.deleteQueue(queue);
    await caller[Symbol.asyncDispose]();
  });

  /** Sends the command to a worker whose connection is lost before it acknowledges. */
  async function loseOne({ isRead }: { isRead: boolean }): Promise<void> {
    const worker = await openConnection();
    let taken = 0;
    await worker.channel.consume(queue, () => (taken += 1));
    if (!isRead) leaveUnread(worker);
    caller.channel.sendToQueue(queue, Buffer.from('{"userId":"p-1"}'), COMMAND);
    await caller.channel.waitForConfirms();
    if (isRead) await until('it is delivered', () => taken === 1);
    else
      await until(
        'it is on its way',
        async () => (await caller.channel.checkQueue(queue)).messageCount === 0,
      );
    expect(taken).toBe(isRead ? 1 : 0);
    destroySocket(worker.connection, LOST);
  }

  function leaveUnread({ connection }: TestConnection): void {
    const { stream } = (connection as unknown as { connection: { stream: NodeJS.ReadableStream } })
      .connection;
    stream.removeAllListeners('readable');
    stream.pause();
  }

  /** What the next worker is given, all but what belongs to its channel. */
  async function next() {
    await using worker = await openConnection();
    let message: ConsumeMessage | undefined;
    await worker.channel.consume(queue, (taken) => (message ??= taken ?? undefined));
    const { fields, properties, content } = await until('it is delivered again', () => message);
    worker.channel.ackAll();
    await worker.channel.close();
    return { redelivered: fields.redelivered, properties, text: content.toString() };
  }

  describe.each(['quorum', 'classic'])('a message of a %s queue that is delivered again', (type) => {
    it('looks like one of the same id whose first delivery nobody has read', async () => {
      await caller.channel.assertQueue(queue, { arguments: { 'x-queue-type': type } });
      await loseOne({ isRead: true });
      const again = await next();
      await loseOne({ isRead: false });
      const unread = await next();
      expect(again.redelivered).toBe(true);
      expect(unread).toEqual(again);
    });
  });
});

describe('large bodies', () => {
  const KIB = 1024;
  const MAX_BODY_BYTES = 64 * KIB;
  /** Longer than a frame of RabbitMQ by default. */
  const SIZES = [0, 1, MAX_BODY_BYTES, MAX_BODY_BYTES + 1, 128 * KIB, 1024 * KIB, 2, 5 * 1024 * KIB, 3];

  let open: TestConnection;
  let queue: string;
  let consumer: QueueConsumer;
  let connection: BrokerConnection;
  let deliveries: Delivery[];

  beforeEach(async () => {
    open = await openConnection();
    queue = (await open.channel.assertQueue(`${uniquePrefix()}-bodies`, { autoDelete: true })).queue;
    connection = new BrokerConnection({ urls: [testBrokerUrl()], name: 'test of large bodies' });
    connection.open();
    deliveries = [];
    consumer = new QueueConsumer({
      queue,
      prefetch: 100,
      maxBodyBytes: MAX_BODY_BYTES,
      handle: (delivery) => {
        deliveries.push(delivery);
        delivery.acknowledge();
        return Promise.resolve();
      },
      onLost: (error) => {
        throw error;
      },
    });
  });

  afterEach(async () => {
    await consumer.drain(0);
    await connection.close();
    await open[Symbol.asyncDispose]();
  });

  /** A body that differs at each place. */
  function bodyOf(size: number): Buffer {
    return Buffer.from(Uint8Array.from({ length: size }, (_, index) => (index + size) % 251));
  }

  describe('a consumer', () => {
    it('keeps the beginning of bodies that are too large, and all of the others between them', async () => {
      for (const size of SIZES) open.channel.sendToQueue(queue, bodyOf(size), { messageId: `${size}` });
      consumer.start(connection);
      await until('all are delivered', () => deliveries.length === SIZES.length);

      for (const [index, { message, bodyBytes }] of deliveries.entries()) {
        const size = SIZES[index]!;
        const kept = bodyOf(size).subarray(0, size > MAX_BODY_BYTES ? KIB : size);
        expect([message.properties.messageId, bodyBytes]).toEqual([`${size}`, size]);
        expect(message.content.equals(kept)).toBe(true);
        if (size > MAX_BODY_BYTES)
          expect(message.content.buffer.byteLength).toBeLessThanOrEqual(Buffer.poolSize);
      }
    });
  });
});

describe('confirmed publisher', () => {
  const GONE = 'nobody-has-this-queue';
  const ALWAYS = () => true;

  describe.each([
    ['by the halves of its publish', basicPublish],
    ['by its publish', plainPublish],
  ])('a publisher over amqplib %s, told by the broker', (_, publishOne) => {
    const live = `${uniquePrefix()}-live`;
    const full = `${uniquePrefix()}-full`;
    let open: TestConnection;
    let publisher: ConfirmedPublisher;

    beforeAll(async () => {
      open = await openConnection();
      await open.channel.assertQueue(live, { arguments: { 'x-queue-type': 'quorum' } });
      const bounds = { 'x-max-length': 1, 'x-overflow': 'reject-publish' };
      await open.channel.assertQueue(full, { exclusive: true, arguments: bounds });
      publisher = new ConfirmedPublisher({ publish: publishOne });
      await publisher.attach(open.connection, {
        state: { kind: 'open' },
        reset: (_, reason) => open.connection.emit('error', new Error(reason)),
      });
    });

    afterAll(async () => {
      publisher.close();
      await open.channel.deleteQueue(live);
      await open[Symbol.asyncDispose]();
    });

    const messageTo = (routingKey: string, messageId: string): OutgoingMessage => ({
      exchange: '',
      routingKey,
      content: Buffer.from('{}'),
      mandatory: true,
      properties: { messageId, headers: {} },
    });
    const publish = (routingKey: string, messageId = 'm-1') =>
      publisher.publish(messageTo(routingKey, messageId), ALWAYS);

    it('knows which of many messages with one id was returned, in whatever order the broker answers', async () => {
      const queues = Array.from({ length: 200 }, (_, index) => (index % 3 === 0 ? GONE : live));
      const outcomes = await Promise.all(queues.map((queue) => publish(queue)));
      expect(outcomes).toEqual(queues.map((queue) => (queue === GONE ? 'returned' : 'confirmed')));
    });

    it('distinguishes a queue that refused a message from one that has it', async () => {
      expect([await publish(full), await publish(full), await publish(live)]).toEqual([
        'confirmed',
        'refused',
        'confirmed',
      ]);
    });
  });

  describe('publishing by the halves of amqplib’s publish', () => {
    it('gives the broker what the whole gives it', async () => {
      await using open = await openConnection();
      const channel = await open.connection.createConfirmChannel();
      const { queue } = await channel.assertQueue('', { exclusive: true });
      const message: OutgoingMessage = {
        exchange: '',
        routingKey: queue,
        content: Buffer.from('{"a":1}'),
        mandatory: true,
        properties: {
          contentType: 'application/json',
          contentEncoding: 'utf-8',
          headers: { text: 'a', number: 1, nested: { yes: true } },
          priority: 3,
          correlationId: 'c-1',
          replyTo: 'replies',
          expiration: '600000',
          messageId: 'm-1',
          timestamp: 1_700_000_000,
          type: 'a.type',
          appId: 'an-app',
        },
      };
      for (const publish of [basicPublish, plainPublish]) {
        await new Promise((resolve, reject) =>
          publish(channel, message, (error) => (error ? reject(error) : resolve(undefined))),
        );
      }
      const [ours, plain] = [await channel.get(queue), await channel.get(queue)];
      if (!ours || !plain) throw new Error('both are there');
      expect([ours.properties, ours.content]).toEqual([plain.properties, plain.content]);
      expect(ours.properties).toMatchObject({ deliveryMode: 2, ...message.properties });
    });
  });
});

describe('a connection to the broker', () => {
  it('is reopened if the broker does not answer its set-up', async () => {
    const states: ConnectionState[] = [];
    let setUps = 0;
    const connection = new BrokerConnectionBrokerConnection({
      urls: [testBrokerUrl()],
      name: 'set-up',
      setUp: () => ((setUps += 1) === 1 ? new Promise(() => undefined) : Promise.resolve()),
      setUpTimeoutMs: 100,
      onState: (state) => states.push(state),
      random: () => 0,
    });
    connection.open();
    await until('it is open', () => connection.state.kind === 'open');
    expect(states).toEqual([
      { kind: 'connecting', reason: 'the set-up was not answered in time' },
      { kind: 'open' },
    ]);
    await connection.close();
  });
});
