import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { corkWrites } from '../../../libs/messaging/src/rabbitmq/connection/cork-writes.ts';
import { promptWrites } from '../../../libs/messaging/src/rabbitmq/connection/prompt-writes.ts';
import type { Delivery } from '../../../libs/messaging/src/rabbitmq/consuming/delivery.ts';
import { QueueConsumer } from '../../../libs/messaging/src/rabbitmq/consuming/queue-consumer.ts';
import { openConnection, type TestConnection, uniquePrefix } from '../../support/broker.ts';
import { until } from '../../support/until.ts';

const MESSAGES = 3;

let open: TestConnection;
let queue: string;
let consumer: QueueConsumer;
let deliveries: Delivery[];

beforeEach(async () => {
  open = await openConnection();
  corkWrites(open.connection);
  promptWrites(open.connection);
  queue = (await open.channel.assertQueue(`${uniquePrefix()}-prompt`, { exclusive: true })).queue;
  deliveries = [];
  consumer = new QueueConsumer({
    queue,
    prefetch: MESSAGES,
    maxBodyBytes: 1024,
    handle: (delivery) => Promise.resolve(void deliveries.push(delivery)),
    onLost: (reason) => {
      throw new Error(reason);
    },
  });
});
afterEach(async () => {
  await consumer.drain(0);
  await open[Symbol.asyncDispose]();
});

describe('acknowledgements', () => {
  it('have left for the broker, all in one write, before the turn in which they were given has ended', async () => {
    await consumer.attach(open.connection);
    for (let sent = 0; sent < MESSAGES; sent += 1) open.channel.sendToQueue(queue, Buffer.from('{}'));
    await until('all are delivered', () => deliveries.length === MESSAGES);
    const [first, between, last] = deliveries;
    const { writes, stop } = writesOf(open);
    const inTurn = await new Promise<number>((resolve) => {
      // The first thing after the callbacks of this one.
      setImmediate(() => resolve(writes()));
      // Two frames, since one between them is not settled.
      for (const delivery of [first, last]) delivery?.acknowledge();
    });
    stop();
    between?.acknowledge();
    expect(inTurn).toBe(1);
    await consumer.drain(0);
    expect((await open.channel.checkQueue(queue)).messageCount).toBe(0);
  });
});

/** Counts what the socket of a connection is given to send. */
function writesOf({ connection }: TestConnection): { writes: () => number; stop: () => void } {
  interface Handle {
    writev(...args: unknown[]): unknown;
    writeBuffer(...args: unknown[]): unknown;
  }
  const { stream } = (connection as unknown as { connection: { stream: { _handle: Handle } } }).connection;
  const handle = stream._handle;
  const { writev, writeBuffer } = handle;
  let writes = 0;
  handle.writev = (...args) => ((writes += 1), writev.apply(handle, args));
  handle.writeBuffer = (...args) => ((writes += 1), writeBuffer.apply(handle, args));
  return { writes: () => writes, stop: () => Object.assign(handle, { writev, writeBuffer }) };
}
