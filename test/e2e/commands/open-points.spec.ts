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
      lenient: {
        ...operator('sandbox', { REPORT_RECORDS: 'lenient', SESSION_USER_ID: 'any' }),
        currencyPrecisions: { EUR: 4, mBTC: 5 },
      },
    };
    sandboxed = await startSandboxedService({
      sandbox: { SANDBOX_CLIENTS_FILE: await write('clients.json', clients), SANDBOX_REPORT_RECORDS: '8' },
      worker: {
        CURRENCY_PRECISIONS: 'EUR=2',
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

  it('SESSION_USER_ID=any passes on the id of the platform, and same names the setting', async () => {
    for (const [as, platformUserId] of [
      ['own', 'platform-p-1'],
      ['integer', '4711'],
      ['case', 'P-1'],
    ]) {
      await sandboxed.platform.fault({ kind: 'other-user-id', as });
      const [created] = await send('lenient', 'session.create', { userId: 'p-1' });
      expect(created?.body).toMatchObject({ userId: 'p-1', platformUserId });
      const [failed] = await send('default', 'session.create', { userId: 'p-1' });
      const reason = expect.stringMatching(/^\/data\/attributes\/user-id .*SESSION_USER_ID=any/);
      expect(failed?.body).toMatchObject({ code: 'PLATFORM_PROTOCOL_ERROR', details: { reason } });
      await sandboxed.platform.clearFaults();
    }
    const [same] = await send('lenient', 'session.create', { userId: 'p-1' });
    expect(same?.type).toBe('session.created');
    expect(same?.body).not.toHaveProperty('platformUserId');
  });

  it('REPORT_RECORDS=lenient passes on odd records, names and counts what is odd, also after a wait', async () => {
    await sandboxed.platform.fault({ kind: 'odd-amounts', count: 1 });
    await sandboxed.platform.fault({ kind: 'status', status: 503, count: 1 });
    await sandboxed.platform.fault({ kind: 'odd-records', count: 1 });
    const replies = await send('lenient', 'report.rake.fetch', DAY);
    const faultsOf = (...faults: [string, string][]) =>
      faults.map(([member, message]) => ({ pointer: `/records/${member}`, message }));
    expect(replies.map(({ body }) => body['faults'])).toEqual([
      faultsOf(['0/value', 'is not an integer'], ['1/value', 'is not an integer']),
      faultsOf(['0/value', 'is absent'], ['1/userId', 'is not a non-empty string']),
      4,
    ]);
    expect(replies[0]?.body['records']).toMatchObject([{ value: 288.31 }, { value: '28831' }]);
    expect(replies[1]?.body['records']).toMatchObject([{ userId: 'player-00000002' }, { userId: 4711 }]);
    expect(replies.at(-1)?.body).toMatchObject({ pages: 2, records: 4 });
  });

  it('REPORT_RECORDS=strict fails the report, and names the place', async () => {
    for (const [fault, reason] of [
      [{ kind: 'odd-amounts' }, '/data/0/attributes/value is not an integer'],
      [{ kind: 'odd-records', what: 'amount' }, '/data/0/attributes/value is absent'],
      [{ kind: 'odd-records', what: 'user-id' }, '/data/0/attributes/user-id is not a non-empty string'],
      [{ kind: 'odd-records', what: 'currency' }, '/data/0/attributes/currency is not a non-empty string'],
    ] as const) {
      await sandboxed.platform.fault(fault);
      const replies = await send('default', 'report.rake.fetch', DAY);
      expect(replies.map(({ body }) => [body['code'], body['details']])).toEqual([
        ['PLATFORM_PROTOCOL_ERROR', { reason }],
      ]);
      await sandboxed.platform.clearFaults();
    }
  });

  it("precisions are the operator's, and those of default if it has none", async () => {
    const precisionsOf = async (operator: string) =>
      (await send(operator, 'report.rake.fetch', { ...DAY, currency: 'EUR' }))[0]?.body['precisions'];
    expect(await Promise.all(['default', 'omitting', 'lenient'].map(precisionsOf))).toEqual([
      { EUR: 2 },
      { EUR: 2 },
      { EUR: 4 },
    ]);
  });
});
