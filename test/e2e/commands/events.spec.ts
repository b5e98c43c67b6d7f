import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import { Program } from '../../../scripts/processes/program.ts';
import { fencesOf, read } from '../../docs/markdown.ts';
import type { ReceivedReply } from '../../support/bus-caller.ts';
import { folderForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { sandboxedForAll } from './sandboxed-service.ts';

const DAY = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
/** The commands, each with its number of calls to the platform; a repeat gets the stored reply. */
const COMMANDS = [
  ['session', 'session.create', { userId: 'p-1', nick: 'Ada' }, 1],
  ['game', 'game.open', { player: { id: 'p-1' } }, 1],
  ['report', 'report.ad-hoc.fetch', DAY, 1],
  ['taken', 'session.create', { userId: 'p-2', nick: 'Ada' }, 1],
  ['invalid', 'session.create', {}, 0],
  ['taken', 'session.create', { userId: 'p-2', nick: 'Ada' }, 0],
] as const;
const TAKEN = 'command.failed.NICKNAME_TAKEN';
const FAILURES = [TAKEN, 'command.failed.VALIDATION_FAILED', TAKEN];
const SUCCESSES = ['session.created', 'game.opened', 'report.completed'];

/** The default, `errors`, is what the other suites run with. */
describe('announcements with EVENTS=all', () => {
  const sandboxed = sandboxedForAll({ sandbox: { SANDBOX_REPORT_RECORDS: '3' }, worker: { EVENTS: 'all' } });
  let events: ConsumeMessage[];
  const replies = new Map<string, ReceivedReply>();

  beforeAll(async () => {
    const { caller, service, worker } = sandboxed;
    events = await caller.events();
    for (const [messageId, type, body] of COMMANDS) {
      const userId = messageId === 'game' ? 'guest' : undefined;
      const options = { messageId, correlationId: messageId, ...(userId && { userId }) };
      replies.set(messageId, (await caller.send(type, body, options)).at(-1) as ReceivedReply);
    }
    // Everything is announced once everything is acknowledged; later messages arrive later.
    const areCounted = async () => (await worker.metric('poker_commands_total')) === COMMANDS.length;
    await until('all is acknowledged', areCounted);
    caller.channel.publish(service.name('events'), 'the.end', Buffer.alloc(0));
    await until('the end', () => events.at(-1)?.fields.routingKey === 'the.end');
    events.pop();
  });

  it('are sent once for each final reply, and name the caller, the worker and the time', () => {
    expect(events.map(({ fields }) => fields.routingKey)).toEqual([...SUCCESSES, ...FAILURES]);
    for (const [index, { properties }] of events.entries()) {
      const [id, , , attempts] = COMMANDS[index]!;
      expect(properties.headers).toMatchObject({
        'command-id': id,
        caller: id === 'game' ? 'guest' : 'anonymous',
        operator: 'default',
        worker: `${hostname()}:${sandboxed.worker.pid}`,
        'answered-at': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        attempts,
      });
    }
  });

  it('contain the error body of a failure, with the properties of the reply', () => {
    for (const { content, properties } of events.slice(SUCCESSES.length)) {
      const { type, messageId, correlationId, text, headers } = replies.get(
        String(properties.headers?.['command-id']),
      )!;
      expect(String(content)).toBe(text);
      expect(properties).toMatchObject({ type, messageId, correlationId, timestamp: expect.any(Number) });
      const { 'x-publish-id': _ofThePublish, ...shown } = headers;
      expect(properties.headers).toMatchObject(shown);
    }
  });

  it('contain neither tokens nor URLs of a success', () => {
    for (const { content, properties } of events.slice(0, SUCCESSES.length)) {
      const reply = replies.get(String(properties.headers?.['command-id'])) as ReceivedReply;
      const { auth: _token, url: _game, redirectUrl: _lobby, ...rest } = reply.body;
      expect(JSON.parse(String(content))).toEqual(rest);
    }
  });

  describe('kept by examples/node', () => {
    const folder = folderForAll();
    afterAll(() => sandboxed.caller.channel.deleteQueue(`audit.${sandboxed.service.prefix}`));

    it('are lines as in docs/audit-trail.md, including those sent while nobody consumed', async () => {
      const { caller, service, worker } = sandboxed;
      const file = join(folder.path, 'trail.ndjson');
      const env = { AMQP_URL: service.url, AMQP_PREFIX: service.prefix };
      const args = ['--conditions=@poker-bridge/source', 'examples/node/keep-audit-trail.mjs', file];
      const start = () => new Program(process.execPath, args, env);
      await using first = start();
      await first.says(/(is bound)/);
      first.kill('SIGTERM');
      expect(await first.exited).toMatchObject({ code: 0 });
      await caller.send('session.create', { userId: 'p-3' }, { messageId: 'session-2' });
      await using second = start();
      const [line] = await until('the line is there', async () => {
        const lines = (await readFile(file, 'utf8')).split('\n');
        return lines.length > 1 && lines;
      });
      const [example] = fencesOf(read('docs/audit-trail.md')).filter(({ language }) => language === 'json');
      const kept = JSON.parse(String(line)) as { answeredAt: string };
      expect(Math.abs(Date.parse(kept.answeredAt) - Date.now())).toBeLessThan(60_000);
      // The members of the line have the order of the document.
      const expected = {
        ...(JSON.parse(example?.text ?? '') as object),
        answeredAt: kept.answeredAt,
        worker: `${hostname()}:${worker.pid}`,
        id: 'session-2',
        event: 'session-2:0',
      };
      expect(JSON.stringify(kept)).toBe(JSON.stringify(expected));
      expect(second.stderr).toBe('');
    });
  });
});
