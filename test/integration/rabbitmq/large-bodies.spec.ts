import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { BrokerConnection, type Delivery, QueueConsumer } from '#rabbitmq';

import { openConnection, type TestConnection, testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { until } from '../../support/until.ts';

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
