import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import type { ReceivedReply } from '../../support/bus-caller.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { type SandboxProcess, startSandboxProcess } from '../../support/sandbox-process.ts';
import { until } from '../../support/until.ts';
import { expectedProperties } from './expected-properties.ts';
import { type SandboxedService, startSandboxedService } from './sandboxed-service.ts';

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
