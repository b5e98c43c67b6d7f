import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import type { BusCaller, ReceivedReply } from '../../support/bus-caller.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { type SandboxProcess, startSandboxProcess } from '../../support/sandbox-process.ts';
import { until } from '../../support/until.ts';
import { expectedProperties } from './expected-properties.ts';
import { type SandboxedService, startSandboxedService } from './sandboxed-service.ts';

describe('routes', () => {
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

    it('follow the routing key if there is no type', async () => {
      const [reply] = await caller.send('session.create', { userId: 'p-1' });
      expect(reply).toMatchObject({ type: 'session.created', headers: { 'command-type': 'session.create' } });
    });

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

    it('answer an unknown routing key without a type, without dropping the message', async () => {
      const [reply] = await caller.send('session.creat', { userId: 'p-4' });
      expect(reply).toMatchObject({
        type: 'command.failed',
        headers: { 'command-type': 'session.creat' },
        body: { code: 'UNKNOWN_COMMAND', command: { type: 'session.creat' } },
      });
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
});

describe('events', () => {
  const DAY = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
  const COMMANDS = [
    ['session', 'session.create', { userId: 'p-1', nick: 'Ada' }],
    ['game', 'game.open', { player: { id: 'p-1' } }],
    ['report', 'report.ad-hoc.fetch', DAY],
    ['taken', 'session.create', { userId: 'p-2', nick: 'Ada' }],
    ['invalid', 'session.create', {}],
  ] as const;
  const FAILURES = ['command.failed.NICKNAME_TAKEN', 'command.failed.VALIDATION_FAILED'];
  const SUCCESSES = ['session.created', 'game.opened', 'report.completed'];
  let sandbox: SandboxProcess;

  beforeAll(async () => {
    sandbox = await startSandboxProcess({ SANDBOX_REPORT_RECORDS: '3' });
  });

  afterAll(async () => sandbox?.[Symbol.asyncDispose]());

  describe.each([
    ['errors', FAILURES],
    ['all', [...SUCCESSES, ...FAILURES]],
    ['none', []],
  ])('EVENTS=%s', (policy, routingKeys) => {
    let sandboxed: SandboxedService;
    let events: ConsumeMessage[];
    const replies = new Map<string, ReceivedReply>();

    beforeAll(async () => {
      sandboxed = await startSandboxedService({
        sandbox: new SandboxControl(await sandbox.url),
        worker: { EVENTS: policy },
      });
      const { caller, worker, service } = sandboxed;
      events = await caller.events();
      for (const [messageId, type, body] of COMMANDS) {
        replies.set(messageId, (await caller.send(type, body, { messageId })).at(-1) as ReceivedReply);
      }
      // Everything is announced once everything is acknowledged; later messages arrive later.
      await until(
        'all is acknowledged',
        async () => (await worker.metric('poker_commands_total')) === COMMANDS.length,
      );
      caller.channel.publish(service.name('events'), 'the.end', Buffer.alloc(0));
      await until('the end', () => events.at(-1)?.fields.routingKey === 'the.end');
      events.pop();
    });

    afterAll(async () => sandboxed?.[Symbol.asyncDispose]());

    it(`announces ${routingKeys.join(', ') || 'nothing'}`, () => {
      expect(events.map(({ fields }) => fields.routingKey).toSorted()).toEqual([...routingKeys].toSorted());
    });

    it('announces a failure with its error body, under the properties of its reply', () => {
      for (const event of events.filter(({ properties }) => properties.type === 'command.failed')) {
        const reply = replies.get(String(event.properties.headers?.['command-id']));
        expect(String(event.content)).toBe(reply?.text);
        const { type, messageId, correlationId, timestamp, headers } = event.properties;
        expect({ type, messageId, correlationId }).toEqual({
          type: reply?.type,
          messageId: reply?.messageId,
          correlationId: reply?.correlationId,
        });
        expect(timestamp).toEqual(expect.any(Number));
        expect({ ...headers, 'x-publish-id': '' }).toEqual({ ...reply?.headers, 'x-publish-id': '' });
      }
    });

    it('announces a success without tokens and URLs', () => {
      const successes = events.filter(({ properties }) => properties.type !== 'command.failed');
      for (const { content, properties, fields } of successes) {
        expect(properties.type).toBe(fields.routingKey);
        const reply = replies.get(String(properties.headers?.['command-id'])) as ReceivedReply;
        const { auth, url, redirectUrl, ...rest } = reply.body;
        expect(JSON.parse(String(content))).toEqual(rest);
        for (const secret of [auth, url, redirectUrl]) {
          if (typeof secret === 'string') expect(String(content)).not.toContain(secret);
        }
      }
      expect(successes).toHaveLength(routingKeys.filter((key) => SUCCESSES.includes(key)).length);
    });

    it('answers all the same', () => {
      const [session, game, report, taken, invalid] = COMMANDS.map(([id]) => replies.get(id));
      expect([session, game, report].map((reply) => reply?.type)).toEqual(SUCCESSES);
      expect([taken, invalid].map((reply) => reply?.body['code'])).toEqual([
        'NICKNAME_TAKEN',
        'VALIDATION_FAILED',
      ]);
      expect(session?.properties).toEqual(
        expectedProperties({
          type: 'session.created',
          id: 'session',
          commandType: 'session.create',
          correlationId: String(session?.correlationId),
        }),
      );
    });
  });
});
