import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import type { ReceivedReply } from '../../support/bus-caller.ts';
import { Program } from '../../../scripts/processes/program.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { SandboxProcess } from '../../../scripts/processes/sandbox-process.ts';
import { until } from '../../support/until.ts';
import { fencesOf, read } from '../../docs/markdown.ts';
import { type SandboxedService, startSandboxedService } from './sandboxed-service.ts';

const DAY = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
const COMMANDS = [
  ['session', 'session.create', { userId: 'p-1', nick: 'Ada' }],
  ['game', 'game.open', { player: { id: 'p-1' } }],
  ['report', 'report.ad-hoc.fetch', DAY],
  ['taken', 'session.create', { userId: 'p-2', nick: 'Ada' }],
  ['invalid', 'session.create', {}],
  ['taken', 'session.create', { userId: 'p-2', nick: 'Ada' }],
] as const;

/** Calls to the platform for each; a repeat gets the stored reply. */
const OF_FAILURES = ['taken 1', 'invalid 0', 'taken 0'];
const TAKEN = 'command.failed.NICKNAME_TAKEN';
const FAILURES = [TAKEN, TAKEN, 'command.failed.VALIDATION_FAILED'];
const SUCCESSES = ['session.created', 'game.opened', 'report.completed'];

let sandbox: SandboxProcess;

beforeAll(async () => {
  sandbox = new SandboxProcess({ SANDBOX_REPORT_RECORDS: '3' });
});

afterAll(async () => sandbox?.[Symbol.asyncDispose]());

describe.each([
  ['errors', FAILURES, OF_FAILURES],
  ['all', [...SUCCESSES, ...FAILURES], ['session 1', 'game 1', 'report 1', ...OF_FAILURES]],
  ['none', [], []],
])('EVENTS=%s', (policy, routingKeys, attempts) => {
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
      const userId = messageId === 'game' ? 'guest' : undefined;
      const options = { messageId, correlationId: messageId, ...(userId && { userId }) };
      replies.set(messageId, (await caller.send(type, body, options)).at(-1) as ReceivedReply);
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
    for (const { content, properties } of events.filter(
      (event) => event.properties.type === 'command.failed',
    )) {
      const reply = replies.get(String(properties.headers?.['command-id']))!;
      expect(String(content)).toBe(reply.text);
      const { type, messageId, correlationId } = reply;
      expect(properties).toMatchObject({ type, messageId, correlationId, timestamp: expect.any(Number) });
      const { 'x-publish-id': _ofThePublish, ...shown } = reply.headers;
      expect(properties.headers).toMatchObject(shown);
    }
  });

  it('says who asked, on whose behalf, and which worker answered when', () => {
    for (const { properties } of events) {
      const id = String(properties.headers?.['command-id']);
      expect(properties.headers).toMatchObject({
        caller: id === 'game' ? 'guest' : 'anonymous',
        operator: 'default',
        worker: `${hostname()}:${sandboxed.worker.pid}`,
        'answered-at': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
    }
    const announced = events.map(({ properties }) => properties.headers ?? {});
    expect(announced.map((headers) => `${headers['command-id']} ${headers['attempts']}`)).toEqual(attempts);
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
});

describe('the audit trail of examples/node', () => {
  it('holds a line for each outcome, as docs/audit-trail.md shows it, also if nobody consumed at the time', async () => {
    await using sandboxed = await startSandboxedService({
      sandbox: new SandboxControl(await sandbox.url),
      worker: { EVENTS: 'all' },
    });
    const { caller, service, worker } = sandboxed;
    const folder = await mkdtemp(join(tmpdir(), 'trail-'));
    const file = join(folder, 'trail.ndjson');
    const env = { AMQP_URL: service.url, AMQP_PREFIX: service.prefix };
    const start = () =>
      new Program(
        process.execPath,
        ['--conditions=@poker-bridge/source', 'examples/node/keep-audit-trail.mjs', file],
        env,
      );
    try {
      await using first = start();
      await first.says(/(is bound)/);
      first.kill('SIGTERM');
      expect(await first.exited).toMatchObject({ code: 0 });
      await caller.send('session.create', { userId: 'p-1' }, { messageId: 'session' });
      await using second = start();
      const [line] = await until('the line is there', async () => {
        const lines = (await readFile(file, 'utf8')).split('\n');
        return lines.length > 1 && lines;
      });
      const [example] = fencesOf(read('docs/audit-trail.md')).filter(({ language }) => language === 'json');
      const shown = JSON.parse(example?.text ?? '') as { answeredAt: string };
      const kept = JSON.parse(String(line)) as { answeredAt: string };
      expect(Math.abs(Date.parse(kept.answeredAt) - Date.now())).toBeLessThan(60_000);
      // Its members are in the order of the document.
      const expected = { ...shown, answeredAt: kept.answeredAt, worker: `${hostname()}:${worker.pid}` };
      expect(JSON.stringify(kept)).toBe(JSON.stringify(expected));
      expect(second.stderr).toBe('');
    } finally {
      await rm(folder, { recursive: true });
      await caller.channel.deleteQueue(`audit.${service.prefix}`);
    }
  });
});
