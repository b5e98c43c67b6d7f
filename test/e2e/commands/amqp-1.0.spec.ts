import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import rhea, { type Connection } from 'rhea';

import { testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';

const SESSION = { userId: 'p-1', nick: 'Ace' };
const RAKE = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', page: 1 };

/** Brokers of RabbitMQ 4 speak AMQP 1.0, too. */
describe('a caller that speaks AMQP 1.0', () => {
  let service: ServiceUnderTest;
  let connection: Connection;
  const replyQueue = `${uniquePrefix()}.replies`;
  const replies = new Map<string, string>();

  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy(1) });
    await service.worker();
    await service.caller.channel.assertQueue(replyQueue, { durable: true });
    const { hostname, port } = new URL(testBrokerUrl());
    const container = rhea.create_container();
    connection = container.connect({
      host: hostname,
      port: Number(port),
      username: 'guest',
      password: 'guest',
      reconnect: false,
    });
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
      // Its receiver would be told that the queue is gone.
      const closed = once(connection, 'connection_close');
      connection.close();
      await closed;
    }
    await service?.caller.channel.deleteQueue(replyQueue);
    await service?.[Symbol.asyncDispose]();
  });

  /** Sends a command and gives the body of its last reply. */
  async function send(
    type: string,
    body: unknown,
    properties: object = {},
  ): Promise<Record<string, unknown>> {
    const id = randomUUID();
    const sender = connection.open_sender({ target: `/exchanges/${service.prefix}.commands/${type}` });
    await once(sender, 'sendable');
    sender.send({
      message_id: id,
      correlation_id: id,
      reply_to: `/queues/${replyQueue}`,
      body,
      ...properties,
    });
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
    ['a map', SESSION],
    ['a number', 42],
    ['a list of values', rhea.message.sequence_section([SESSION])],
  ])('is told to send bytes, if its body is %s', async (_, body) => {
    expect(await send('session.create', body)).toMatchObject({
      code: 'MALFORMED_MESSAGE',
      message: expect.stringContaining('data section'),
      command: { type: 'session.create' },
    });
  });
});
