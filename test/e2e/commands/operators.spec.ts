import { randomUUID } from 'node:crypto';

import { afterEach, describe, expect, it } from '@jest/globals';

import type { ReceivedReply } from '../../support/bus-caller.ts';
import { folderForAll } from '../../support/suite-service.ts';
import { sandboxedForAll } from './sandboxed-service.ts';

const CONVENTIONS = {
  SIGNATURE_SCALARS: 'json',
  SIGNATURE_OPEN_GAME_CLIENT: 'drop',
  SIGNATURE_JSON_STRINGS: 'all',
  SIGNATURE_REPEATED_NAMES: 'last',
  RAKE_PARAMETERS_IN: 'query',
  PLAYER_COUNTRY_MEMBER: 'countryCode',
};
const SANDBOX = { clientId: 'sandbox', secretKey: 'sandbox-secret-key' };
const RAW_BODY = { SIGNATURE_SCHEME_V3: 'raw-body' };
const DAY = { dateFrom: '2026-01-02 00:00:00', dateTo: '2026-01-03 00:00:00' };
const PLAYER = { player: { id: 'p-1' } };
const GAME = { player: { id: 'p-1', country: 'DE', active: true, verified: false }, session: { tableId: 7 } };

describe('an operator', () => {
  const folder = folderForAll();
  const secretKeyFile = folder.write('secret', 'the-secret-of-casino\n');
  const clients = {
    'client-of-casino': { secretKey: 'the-secret-of-casino', settings: CONVENTIONS },
    'client-of-club': { secretKey: 'the-secret-of-club', settings: RAW_BODY },
    'client-of-free': {},
    'client-of-barred': { secretKey: 'the-secret-of-barred', operations: ['open-game'] },
  };
  const operators = {
    casino: { clientId: 'client-of-casino', secretKeyFile, settings: CONVENTIONS },
    club: { clientId: 'client-of-club', secretKey: 'the-secret-of-club', settings: RAW_BODY },
    free: { clientId: 'client-of-free' },
    barred: { clientId: 'client-of-barred', secretKey: 'the-secret-of-barred' },
    mistaken: { clientId: 'client-of-club', secretKey: 'not-the-secret-of-club' },
    omitting: { ...SANDBOX, settings: { SESSION_ID: 'omit' } },
    lenient: {
      ...SANDBOX,
      settings: { REPORT_RECORDS: 'lenient' },
      currencyPrecisions: { EUR: 4, mBTC: 5 },
    },
  };
  const sandboxed = sandboxedForAll({
    sandbox: {
      SANDBOX_CLIENTS_FILE: folder.write('clients.json', JSON.stringify(clients)),
      SANDBOX_REPORT_RECORDS: '8',
    },
    worker: {
      CURRENCY_PRECISIONS: 'EUR=2',
      OPERATORS_FILE: folder.write('operators.json', JSON.stringify(operators)),
      REPORTS_PER_PAGE: '2',
      REPORTS_RETRY_DELAYS_MS: '100',
      PLATFORM_MAX_ATTEMPTS: '1',
    },
  });
  afterEach(() => sandboxed.platform.clearFaults());

  const sendAll = (
    operator: string | undefined,
    type: string,
    body: object,
    messageId: string = randomUUID(),
  ) => sandboxed.caller.send(type, body, { headers: operator === undefined ? {} : { operator }, messageId });
  const send = async (...command: Parameters<typeof sendAll>): Promise<ReceivedReply> =>
    (await sendAll(...command)).at(-1)!;

  it.each([
    [undefined, 'sandbox'],
    ['default', 'sandbox'],
    ['casino', 'client-of-casino'],
    ['club', 'client-of-club'],
  ])('%s calls with its own credentials', async (operator, client) => {
    for (const [type, body, reply] of [
      ['session.create', { userId: 'p-1' }, 'session.created'],
      ['game.open', GAME, 'game.opened'],
      ['report.rake.fetch', DAY, 'report.completed'],
      ['report.ad-hoc.fetch', DAY, 'report.completed'],
    ] as const) {
      expect((await send(operator, type, body)).type).toBe(reply);
      const { searchParams } = new URL((await sandboxed.platform.lastRequest()).url, 'http://platform');
      expect(searchParams.get('clientId') ?? searchParams.get('client')).toBe(client);
    }
  });

  it('follows the conventions of its platform', async () => {
    await send('casino', 'game.open', GAME);
    const { player } = await sandboxed.platform.lastGame();
    expect(player).toMatchObject({ id: 'p-1', countryCode: 'DE' });
    expect(player).not.toHaveProperty('country');

    await send('casino', 'report.rake.fetch', DAY);
    const { url, body } = await sandboxed.platform.lastRequest();
    expect(new URL(url, 'http://platform').searchParams.get('dateFrom')).toBe(DAY.dateFrom);
    expect(body).toBe('');
  });

  it('opens games unsigned and cannot use v2 without a secret key', async () => {
    expect((await send('free', 'game.open', GAME)).type).toBe('game.opened');
    expect((await sandboxed.platform.lastRequest()).headers).not.toHaveProperty('sign');
    for (const [type, body] of [
      ['session.create', { userId: 'p-1' }],
      ['report.rake.fetch', DAY],
    ] as const) {
      const reply = await send('free', type, body);
      expect(reply.body).toMatchObject({
        code: 'SECRET_KEY_MISSING',
        category: 'misconfigured',
        attempts: 0,
      });
    }
  });

  it('gets the reason of a refusal: rights, or signature', async () => {
    const forbidden = await send('barred', 'session.create', { userId: 'p-1' });
    expect(forbidden.body).toMatchObject({ code: 'FORBIDDEN', platform: { status: 403 } });
    const rejected = await send('mistaken', 'session.create', { userId: 'p-1' });
    expect(rejected.body).toMatchObject({
      code: 'SIGNATURE_REJECTED',
      category: 'misconfigured',
      attempts: 1,
    });
    expect(rejected.text).not.toContain('secret-of-club');
  });

  it('shares no identities: the same message id is another command', async () => {
    const id = randomUUID();
    const ours = await send('casino', 'game.open', { player: { id: 'p-1' } }, id);
    const theirs = await send('club', 'game.open', { player: { id: 'p-2' } }, id);
    expect([ours.type, theirs.type]).toEqual(['game.opened', 'game.opened']);
    expect(ours.body['sessionId']).not.toBe(theirs.body['sessionId']);
  });

  it('with SESSION_ID=omit leaves the session id to the platform, and a repeat gets the same reply', async () => {
    const id = randomUUID();
    const opened = await send('omitting', 'game.open', PLAYER, id);
    expect(opened.body).toMatchObject({ playerId: 'p-1', sessionId: expect.stringMatching(/./) });
    expect((await sandboxed.platform.lastGame()).session).not.toHaveProperty('id');

    const received = await sandboxed.platform.received('open-game');
    expect((await send('omitting', 'game.open', PLAYER, id)).text).toBe(opened.text);
    expect(await sandboxed.platform.received('open-game')).toBe(received);

    const other = await send('omitting', 'game.open', PLAYER);
    expect(other.body['sessionId']).not.toBe(opened.body['sessionId']);
    const named = await send('omitting', 'game.open', { ...PLAYER, session: { id: 's-1' } });
    expect(named.body['sessionId']).toBe('s-1');
    const derived = await send('default', 'game.open', PLAYER);
    expect((await sandboxed.platform.lastGame()).session['id']).toBe(derived.body['sessionId']);
  });

  it('with REPORT_RECORDS=lenient gets odd records, each fault named and counted, also after a wait', async () => {
    await sandboxed.platform.fault({ kind: 'odd-amounts', count: 1 });
    await sandboxed.platform.fault({ kind: 'status', status: 503, count: 1 });
    await sandboxed.platform.fault({ kind: 'odd-records', count: 1 });
    const replies = await sendAll('lenient', 'report.rake.fetch', DAY);
    const faultsOf = (...faults: [string, string][]) =>
      faults.map(([member, message]) => ({ pointer: `/records/${member}`, message }));
    expect(replies.map(({ body }) => body['faults'])).toEqual([
      faultsOf(['0/value', 'is not an integer'], ['1/value', 'is not an integer']),
      faultsOf(['0/value', 'is absent'], ['1/userId', 'is not a non-empty string']),
      4,
    ]);
    expect(replies[0]?.body['records']).toMatchObject([{ value: 288.31 }, { value: '288.31' }]);
    expect(replies[1]?.body['records']).toMatchObject([{ userId: 'player-00000002' }, { userId: null }]);
    expect(replies.at(-1)?.body).toMatchObject({ pages: 2, records: 4 });
  });

  it('has precisions of its own, or those of default', async () => {
    const precisionsOf = async (operator: string, currency: string) =>
      (await sendAll(operator, 'report.rake.fetch', { ...DAY, currency }))[0]?.body['precisions'];
    expect(await precisionsOf('default', 'EUR')).toEqual({ EUR: 2 });
    expect(await precisionsOf('default', 'USD')).toEqual({ USD: null });
    expect(await precisionsOf('omitting', 'EUR')).toEqual({ EUR: 2 });
    expect(await precisionsOf('lenient', 'EUR')).toEqual({ EUR: 4 });
  });
});
