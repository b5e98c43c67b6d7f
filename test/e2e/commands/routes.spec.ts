import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import type { BusCaller } from '../../support/bus-caller.ts';
import { until } from '../../support/until.ts';
import { expectedProperties } from './expected-properties.ts';
import { type SandboxedService, startSandboxedService } from './sandboxed-service.ts';

const DAY = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };

describe('the routes of a command', () => {
  let sandboxed: SandboxedService;
  let caller: BusCaller;

  beforeAll(async () => {
    sandboxed = await startSandboxedService({ sandbox: { SANDBOX_REPORT_RECORDS: '3' } });
    ({ caller } = sandboxed);
  });

  afterAll(async () => sandboxed?.[Symbol.asyncDispose]());

  /** The queues that a command was moved to, from the log, once its outcome is logged. */
  const movedTo = async (id: string) => {
    const lines = await until('the outcome is logged', () => {
      const logged = sandboxed.worker.log.filter((line) => line['id'] === id);
      return logged.some((line) => 'outcome' in line) && logged;
    });
    return lines.filter((line) => 'queue' in line).map(({ queue }) => queue);
  };

  it('follow the type if it differs from the routing key, in its own lane', async () => {
    const messageId = randomUUID();
    const options = { type: 'session.create', messageId };
    const replies = await caller.send('report.rake.fetch', { userId: 'p-2' }, options);
    expect(replies.map(({ type }) => type)).toEqual(['session.created']);
    expect(replies[0]?.headers['command-type']).toBe('session.create');
    expect(await movedTo(messageId)).toEqual([sandboxed.service.name('interactive')]);
  });

  it("lead straight to a lane's queue, with the type as property", async () => {
    const correlationId = randomUUID();
    const replies = caller.repliesTo(correlationId);
    const properties = {
      type: 'session.create',
      correlationId,
      replyTo: caller.replyQueue,
      messageId: randomUUID(),
    };
    const content = Buffer.from('{"userId":"p-3"}');
    caller.channel.sendToQueue(sandboxed.service.name('interactive'), content, properties);
    expect((await replies).map(({ type }) => type)).toEqual(['session.created']);
    expect(await movedTo(properties.messageId)).toEqual([]);
  });

  it("lead from the other lane's queue to the right one, with identity, correlation and deadline", async () => {
    const [correlationId, messageId] = [randomUUID(), randomUUID()];
    const replies = caller.repliesTo(correlationId);
    const properties = { type: 'report.rake.fetch', correlationId, replyTo: caller.replyQueue, messageId };
    caller.channel.sendToQueue(
      sandboxed.service.name('interactive'),
      Buffer.from(JSON.stringify(DAY)),
      properties,
    );
    const [page, completed] = await replies;
    const command = { id: messageId, commandType: 'report.rake.fetch', correlationId };
    expect(page?.properties).toEqual(expectedProperties({ ...command, type: 'report.page', final: false }));
    expect(completed?.properties).toEqual(
      expectedProperties({ ...command, type: 'report.completed', sequence: 1 }),
    );
    expect(await movedTo(messageId)).toEqual([sandboxed.service.name('reports')]);
  });

  it('end at a direct reply-to, page by page, in sequence', async () => {
    const channel = await caller.connection.createChannel();
    const received: ConsumeMessage[] = [];
    await channel.consume('amq.rabbitmq.reply-to', (message) => message && received.push(message), {
      noAck: true,
    });
    const send = (type: string, body: object, messageId: string) =>
      channel.publish(`${caller.prefix}.commands`, type, Buffer.from(JSON.stringify(body)), {
        replyTo: 'amq.rabbitmq.reply-to',
        messageId,
      });

    send('session.create', { userId: 'p-5' }, 'direct-1');
    await until('the session is there', () => received.length === 1);
    expect(received[0]?.properties).toMatchObject({
      type: 'session.created',
      messageId: 'direct-1:0',
      correlationId: 'direct-1',
      headers: { 'command-id': 'direct-1', 'command-type': 'session.create', sequence: 0, final: true },
    });

    send('report.rake.fetch', { ...DAY, perPage: 1 }, 'direct-2');
    await until(
      'the report is complete',
      () => received.at(-1)?.properties.headers?.['final'] === true && received.length > 1,
    );
    expect(received.slice(1).map(({ properties }) => [properties.messageId, properties.type])).toEqual([
      ['direct-2:0', 'report.page'],
      ['direct-2:1', 'report.page'],
      ['direct-2:2', 'report.completed'],
    ]);
    // RabbitMQ 3.10 returns a mandatory message that it delivered to such a key.
    const { messageCount } = await channel.checkQueue(sandboxed.service.name('replies.undelivered'));
    expect(messageCount).toBe(0);
    await channel.close();
  });
});
