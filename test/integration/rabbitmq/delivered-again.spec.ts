import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import { destroySocket } from '../../../libs/rabbitmq/src/connection/time-limits.ts';
import { openConnection, type TestConnection, uniquePrefix } from '../../support/broker.ts';
import { until } from '../../support/until.ts';

/** What a caller sends, and sends again if its reply queue was lost. */
const COMMAND = { type: 'session.create', messageId: 'm-1', replyTo: 'lobby', persistent: true };

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
  const isOnItsWay = async () => (await caller.channel.checkQueue(queue)).messageCount === 0;
  await until('it is on its way', isRead ? () => taken === 1 : isOnItsWay);
  expect(taken).toBe(isRead ? 1 : 0);
  destroySocket(worker.connection, new Error('lost by a test'));
}

function leaveUnread({ connection }: TestConnection): void {
  const { stream } = (connection as unknown as { connection: { stream: NodeJS.ReadableStream } }).connection;
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
