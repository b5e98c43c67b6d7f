import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import type { ReceivedReply } from '../../support/bus-caller.ts';
import { type SandboxedService, startSandboxedService } from './sandboxed-service.ts';

const SECRET = 'sandbox-secret-key';
const DEEP = { SIGNATURE_EXCLUDE: 'deep' };
const MERGE = { SIGNATURE_JSON_PLACEMENT: 'merge' };
const DAY = { dateFrom: '2026-01-02 00:00:00', dateTo: '2026-01-03 00:00:00' };
const GAME = { player: { id: 'p-1' }, session: { launchOptions: { locale: 'de', theme: 'dark' } } };

/** Settings of section 6 that each operator and the platform have, each for itself. */
describe('an open point of the platform', () => {
  let folder: string;
  let sandboxed: SandboxedService;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'open-points-'));
    const write = async (name: string, content: unknown): Promise<string> => {
      const path = join(folder, name);
      await writeFile(path, JSON.stringify(content));
      return path;
    };
    const operator = (clientId: string, settings: object) => ({ clientId, secretKey: SECRET, settings });
    const clients = {
      deep: { secretKey: SECRET, settings: DEEP },
      merge: { secretKey: SECRET, settings: MERGE },
    };
    const operators = {
      'deep-as-deep': operator('deep', DEEP),
      'deep-as-top': operator('deep', {}),
      'top-as-deep': operator('sandbox', DEEP),
      'merge-as-merge': operator('merge', MERGE),
      'merge-as-in-place': operator('merge', {}),
      'in-place-as-merge': operator('sandbox', MERGE),
      omitting: operator('sandbox', { SESSION_ID: 'omit' }),
      lenient: operator('sandbox', { REPORT_RECORDS: 'lenient' }),
    };
    sandboxed = await startSandboxedService({
      sandbox: { SANDBOX_CLIENTS_FILE: await write('clients.json', clients), SANDBOX_REPORT_RECORDS: '8' },
      worker: {
        OPERATORS_FILE: await write('operators.json', operators),
        REPORTS_PER_PAGE: '2',
        REPORTS_RETRY_DELAYS_MS: '100',
        PLATFORM_MAX_ATTEMPTS: '1',
      },
    });
  });
  afterAll(async () => {
    await sandboxed?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  afterEach(async () => sandboxed.platform.clearFaults());

  const send = (operator: string, type: string, body: object, messageId: string = randomUUID()) =>
    sandboxed.caller.send(type, body, { headers: { operator }, messageId });
  const codeOrType = ([reply]: readonly ReceivedReply[]) => reply?.body['code'] ?? reply?.type;

  it.each([
    ['deep-as-deep', 'game.opened'],
    ['deep-as-top', 'SIGNATURE_REJECTED'],
    ['top-as-deep', 'SIGNATURE_REJECTED'],
    ['default', 'game.opened'],
  ])('SIGNATURE_EXCLUDE must be that of the platform: %s', async (operator, expected) => {
    expect(codeOrType(await send(operator, 'game.open', GAME))).toBe(expected);
  });

  it.each([
    ['merge-as-merge', 'session.created'],
    ['merge-as-in-place', 'SIGNATURE_REJECTED'],
    ['in-place-as-merge', 'SIGNATURE_REJECTED'],
    ['default', 'session.created'],
  ])('SIGNATURE_JSON_PLACEMENT must be that of the platform: %s', async (operator, expected) => {
    const nick = JSON.stringify({ z: '9', b: [randomUUID().slice(0, 8)] });
    const session = { userId: 'p-1', nick, lang: 'en' };
    expect(codeOrType(await send(operator, 'session.create', session))).toBe(expected);
  });

  it('SESSION_ID=omit leaves the session id to the platform, and a repeat gets the same reply', async () => {
    const id = randomUUID();
    const [opened] = await send('omitting', 'game.open', { player: { id: 'p-1' } }, id);
    expect(opened?.body).toMatchObject({ playerId: 'p-1', sessionId: expect.stringMatching(/./) });
    expect((await sandboxed.platform.lastGame()).session).not.toHaveProperty('id');

    const received = await sandboxed.platform.received('open-game');
    const [repeated] = await send('omitting', 'game.open', { player: { id: 'p-1' } }, id);
    expect(repeated?.text).toBe(opened?.text);
    expect(await sandboxed.platform.received('open-game')).toBe(received);

    const [other] = await send('omitting', 'game.open', { player: { id: 'p-1' } });
    expect(other?.body['sessionId']).not.toBe(opened?.body['sessionId']);
  });

  it('SESSION_ID=omit sends a session id that the command gives', async () => {
    const [opened] = await send('omitting', 'game.open', { player: { id: 'p-1' }, session: { id: 's-1' } });
    expect(opened?.body['sessionId']).toBe('s-1');
  });

  it('SESSION_ID=derive sends the id that is replied', async () => {
    const [opened] = await send('default', 'game.open', { player: { id: 'p-1' } });
    const { session } = await sandboxed.platform.lastGame();
    expect(opened?.body['sessionId']).toBe(session['id']);
  });

  it('REPORT_RECORDS=lenient passes on amounts that are no integers, and names them, also after a wait', async () => {
    await sandboxed.platform.fault({ kind: 'odd-amounts', count: 1 });
    await sandboxed.platform.fault({ kind: 'status', status: 503, count: 1 });
    await sandboxed.platform.fault({ kind: 'odd-amounts', count: 1 });
    const replies = await send('lenient', 'report.rake.fetch', DAY);
    const named = [
      { pointer: '/records/0/value', message: 'is not an integer' },
      { pointer: '/records/1/value', message: 'is not an integer' },
    ];
    expect(replies.map(({ body }) => body['faults'])).toEqual([named, named, undefined]);
    expect(replies[0]?.body['records']).toMatchObject([{ value: 288.31 }, { value: '28831' }]);
    expect(replies.at(-1)?.body).toMatchObject({ pages: 2, records: 4 });
  });

  it('REPORT_RECORDS=strict fails the report', async () => {
    await sandboxed.platform.fault({ kind: 'odd-amounts' });
    const replies = await send('default', 'report.rake.fetch', DAY);
    expect(replies.map(({ body }) => body)).toEqual([
      expect.objectContaining({
        code: 'PLATFORM_PROTOCOL_ERROR',
        details: { reason: '/data/0/value is not an integer' },
      }),
    ]);
  });
});
