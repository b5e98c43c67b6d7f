import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import rhea from 'rhea';
import type { Connection } from 'rhea';

import { testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { healthy, playerOf } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const SESSION = { userId: 'p-1', nick: 'Ace' };
const RAKE = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', page: 1 };

const COMMANDS = 10;

const service = serviceForAll({
  behaviour: healthy(1),
  variables: { INTERACTIVE_PREFETCH: '1' },
  workers: 1,
});

/** Brokers of RabbitMQ 4 speak AMQP 1.0, too. */
describe('a caller that speaks AMQP 1.0', () => {
  let connection: Connection;
  const replyQueue = `${uniquePrefix()}.replies`;
  const replies = new Map<string, string>();

  beforeAll(async () => {
    await service.caller.channel.assertQueue(replyQueue, { durable: true });
    const { hostname: host, port } = new URL(testBrokerUrl());
    const guest = { username: 'guest', password: 'guest' };
    connection = rhea.create_container().connect({ host, port: Number(port), ...guest, reconnect: false });
    await once(connection, 'connection_open');
    connection.open_receiver({ source: `/queues/${replyQueue}` });
    connection.on('message', ({ message: reply }) => {
      const body: unknown = reply?.body;
      const text = Buffer.isBuffer(body) ? body : (body as { content: Buffer }).content;
      replies.set(String(reply?.correlation_id), text.toString());
    });
  });

  afterAll(async () => {
    if (connection) {
      // The receiver of the reply would get an error for the deleted queue.
      const closed = once(connection, 'connection_close');
      connection.close();
      await closed;
    }
    await service.caller.channel.deleteQueue(replyQueue);
  });

  async function send(type: string, body: unknown): Promise<Record<string, unknown>> {
    const id = randomUUID();
    const sender = connection.open_sender({ target: `/exchanges/${service.prefix}.commands/${type}` });
    await once(sender, 'sendable');
    sender.send({ message_id: id, correlation_id: id, reply_to: `/queues/${replyQueue}`, body });
    const text = await until('there is a reply', () => replies.get(id));
    sender.close();
    return JSON.parse(text) as Record<string, unknown>;
  }

  it.each([
    ['session.create', SESSION, { userId: 'p-1' }],
    ['report.rake.fetch', RAKE, { report: 'rake' }],
  ])('is answered, if the body of its %s is bytes', async (type, data, expected) => {
    const body = rhea.message.data_section(Buffer.from(JSON.stringify(data)));
    expect(await send(type, body)).toMatchObject(expected);
  });

  it.each([
    ['a text', JSON.stringify(SESSION)],
    ['a list of values', rhea.message.sequence_section([SESSION])],
  ])('gets the advice to send bytes, if its body is %s', async (_, body) => {
    expect(await send('session.create', body)).toMatchObject({
      code: 'MALFORMED_MESSAGE',
      message: expect.stringContaining('data section'),
      command: { type: 'session.create' },
    });
  });
});

/** Quorum queues of RabbitMQ 4 deliver what has a priority above 4 first. */
it('a caller that gives its commands a priority is served after the callers that waited before it', async () => {
  const { caller, platform } = service;
  const gate = service.hold();
  platform.requests.length = 0;
  const send = (name: string, priority?: number) =>
    caller.send('session.create', { userId: name }, { messageId: name, ...(priority && { priority }) });
  const first = send('first');
  await until('the worker has its first command', () => gate.held === 1);
  const ordinary = Array.from({ length: COMMANDS }, (_, index) => `ordinary-${index}`);
  const preferred = ordinary.map((_, index) => `preferred-${index}`);
  const all = [...ordinary.map((name) => send(name)), ...preferred.map((name) => send(name, 9))];
  const lane = service.name('interactive');
  const areThere = async () => (await caller.channel.checkQueue(lane)).messageCount === all.length;
  await until('all wait in the lane', areThere);
  gate.open();
  await Promise.all([first, ...all]);
  expect(platform.requests.map(playerOf)).toEqual(['first', ...ordinary, ...preferred]);
});
