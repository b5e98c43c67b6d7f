import { createHash } from 'node:crypto';

import { beforeEach, describe, expect, it } from '@jest/globals';

import {
  buildClient,
  callWithin,
  CALLS,
  failureOf,
  recordsOf,
  SECRET,
  startPlatform,
} from './client.fixture.ts';
import { AD_HOC_REPORT, GAME, RAKE_REPORT, SESSION, gameOf, sessionOf } from './documents.ts';
import { answers, type LocalPlatform, type Received } from './local-platform.ts';

let platform: LocalPlatform;

beforeEach(async () => {
  platform = await startPlatform();
});

const digest = (canonical: string) =>
  createHash('sha256')
    .update(canonical + SECRET)
    .digest('hex');

function onlyRequest(): Received {
  expect(platform.received).toHaveLength(1);
  return platform.received[0]!;
}

const FORM = 'application/x-www-form-urlencoded';
const JSON_API = 'application/vnd.api+json';

describe('session.create', () => {
  it('sends every member, the user in path and form', async () => {
    platform.always(answers(200, SESSION));
    const data = { userId: 'u-1', nick: 'Ace ♠', authType: 'external', lang: 'en', currency: 'USD' } as const;
    const session = await buildClient(platform.origin).client.createSession(data, callWithin());
    expect(session).toEqual({
      userId: 'u-1',
      sessionId: 'session-1',
      auth: 'auth-token',
      redirectUrl: 'https://play.example/?auth=auth-token&lang=en',
    });
    const { method, target, headers, body } = onlyRequest();
    expect([method, target]).toEqual(['POST', '/api/web/v2/app/users/u-1/session?clientId=op1']);
    expect(headers).toMatchObject({
      accept: JSON_API,
      'content-type': FORM,
      sign: digest('externalUSDenAce ♠u-1'),
    });
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual(data);
  });

  it('does not send what is absent', async () => {
    platform.always(answers(200, SESSION));
    await buildClient(platform.origin).client.createSession({ userId: 'u-1' }, callWithin());
    expect(onlyRequest().body).toBe('userId=u-1');
    expect(onlyRequest().headers['sign']).toBe(digest('u-1'));
  });

  it('percent-encodes a user id, a plus as %2B, and signs it decoded', async () => {
    const userId = 'a+b/c?d&e=f g%2F#ü';
    platform.always(answers(200, sessionOf(userId)));
    await buildClient(platform.origin).client.createSession({ userId }, callWithin());
    const { target, body, headers } = onlyRequest();
    const encoded = 'a%2Bb%2Fc%3Fd%26e%3Df%20g%252F%23%C3%BC';
    expect(target).toBe(`/api/web/v2/app/users/${encoded}/session?clientId=op1`);
    expect(body).toBe(`userId=${encoded}`);
    expect(headers['sign']).toBe(digest(userId));
  });

  it('is not sent without a secret key', async () => {
    const { client } = buildClient(platform.origin, { credentials: { secretKey: undefined } });
    for (const operation of ['session.create', 'report.ad-hoc.fetch', 'report.rake.fetch'] as const) {
      const call = callWithin();
      expect((await failureOf(CALLS[operation](client, call))).code).toBe('SECRET_KEY_MISSING');
      expect(call.attempts).toBe(0);
    }
    expect(platform.received).toEqual([]);
  });
});

describe('game.open', () => {
  const data = {
    player: { id: 'u-1', nick: 'Ace', active: false, avatar: 12, country: 'DE' },
    session: { id: 's-1', tableId: 7, launchOptions: { locale: 'de', list: [3, 1] } },
  };

  it('sends the document, signed over its parameters', async () => {
    platform.always(answers(200, GAME));
    const game = await buildClient(platform.origin).client.openGame(data, callWithin());
    expect(game).toEqual({
      id: '/game-sessions/1',
      playerId: 'u-1',
      sessionId: 'session-1',
      auth: 'auth-token',
      url: 'https://play.example/table/7',
    });
    const { method, target, headers, body } = onlyRequest();
    expect([method, target]).toEqual(['POST', '/apiweb/v3/open-game?client=op1']);
    expect(headers).toMatchObject({
      accept: JSON_API,
      'content-type': JSON_API,
      sign: digest('op112DEu-1Aces-131de7OpenGame'),
    });
    expect(JSON.parse(body)).toEqual({
      data: { type: 'OpenGame', attributes: { session: data.session, player: data.player } },
    });
  });

  it('sends launch options given as a string as the object that it holds, with the same signature', async () => {
    platform.always(answers(200, GAME));
    const { client } = buildClient(platform.origin);
    const launchOptions = JSON.stringify(data.session.launchOptions);
    await client.openGame(data, callWithin());
    await client.openGame({ ...data, session: { ...data.session, launchOptions } }, callWithin());
    const [first, second] = platform.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['sign']).toBe(first?.headers['sign']);
  });

  it('sends the country under the name of the setting, and always two objects', async () => {
    platform.always(answers(200, GAME));
    const { client } = buildClient(platform.origin, { settings: { playerCountryMember: 'countryCode' } });
    await client.openGame({ player: { id: 'u-1', country: 'DE' } }, callWithin());
    expect(JSON.parse(onlyRequest().body).data.attributes).toEqual({
      session: {},
      player: { id: 'u-1', countryCode: 'DE' },
    });
  });

  it('signs the bytes of the body if the setting says so', async () => {
    platform.always(answers(200, gameOf('ü♠')));
    const { client } = buildClient(platform.origin, { settings: { schemeV3: 'raw-body' } });
    await client.openGame({ player: { id: 'ü♠' } }, callWithin());
    const { headers, body } = onlyRequest();
    expect(headers['sign']).toBe(digest(body));
    expect(Buffer.byteLength(body)).toBe(Number(headers['content-length']));
  });

  it('signs as the settings say, and drops the client', async () => {
    platform.always(answers(200, GAME));
    const settings = { scalars: 'json', openGameClient: 'drop' } as const;
    await buildClient(platform.origin, { settings }).client.openGame(data, callWithin());
    expect(onlyRequest().headers['sign']).toBe(digest('false12DEu-1Aces-131de7OpenGame'));
  });

  it('is sent unsigned without a secret key', async () => {
    platform.always(answers(200, GAME));
    const { client } = buildClient(platform.origin, { credentials: { secretKey: undefined } });
    await client.openGame(data, callWithin());
    expect(onlyRequest().headers).not.toHaveProperty('sign');
  });
});

describe('reports', () => {
  const period = { dateFrom: '2026-01-30 00:00:00', dateTo: '2026-01-31 00:00:00' };
  const page = { page: 2, perPage: 100 };

  it('reads the ad hoc report by a form, its pages by the query', async () => {
    platform.always(answers(200, AD_HOC_REPORT));
    const data = { ...period, userId: 'u-1', currency: 'USD' };
    const report = await buildClient(platform.origin).client.fetchAdHocReport(data, page, callWithin());
    expect(report).toMatchObject({ totalCount: 1, pageCount: 1, currentPage: 1, perPage: 500 });
    expect(recordsOf(report)).toMatchObject([
      { id: 'record-0', userId: 'u-1', moneyType: 1, win: 28831, tournamentFee: 0, cashResult: -120 },
    ]);
    const { method, target, headers, body } = onlyRequest();
    expect([method, target]).toEqual([
      'POST',
      '/api/web/v2/app/reports/ad_hoc?clientId=op1&per-page=100&page=2',
    ]);
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual(data);
    expect(headers).toMatchObject({
      'content-type': FORM,
      sign: digest('USD2026-01-30 00:00:002026-01-31 00:00:00u-1'),
    });
  });

  const rake = {
    ...period,
    userId: 'u-1',
    timeZone: '+03:00',
    convertToPreferredCurrency: '1',
    sort: '-value',
  };
  const rakeSign = digest('12026-01-30 00:00:002026-01-31 00:00:00+03:00u-1');

  it('reads the rake by a GET with a form', async () => {
    platform.always(answers(200, RAKE_REPORT));
    const report = await buildClient(platform.origin).client.fetchRake(rake, page, callWithin());
    expect(recordsOf(report)).toEqual([{ id: 'record-0', userId: 'u-1', currency: 'USD', value: 512 }]);
    const { method, target, headers, body } = onlyRequest();
    expect([method, target]).toEqual([
      'GET',
      '/api/web/v2/app/users/rake?clientId=op1&per-page=100&page=2&timeZone=%2B03%3A00&convertToPreferredCurrency=1&sort=-value',
    ]);
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({ ...period, userId: 'u-1' });
    expect(headers).toMatchObject({ 'content-type': FORM, sign: rakeSign });
  });

  it('reads the rake by the query alone if the setting says so', async () => {
    platform.always(answers(200, RAKE_REPORT));
    const { client } = buildClient(platform.origin, { settings: { rakeParametersIn: 'query' } });
    await client.fetchRake(rake, page, callWithin());
    const { method, url, headers, body } = onlyRequest();
    expect([method, body]).toEqual(['GET', '']);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ...rake,
      clientId: 'op1',
      page: '2',
      'per-page': '100',
    });
    expect(headers).not.toHaveProperty('content-type');
    expect(headers['sign']).toBe(rakeSign);
  });

  it('keeps the connection after a GET with a body', async () => {
    platform.always(answers(200, RAKE_REPORT));
    const { client } = buildClient(platform.origin);
    for (let i = 0; i < 5; i += 1) await client.fetchRake(rake, page, callWithin());
    expect([platform.received.length, platform.connections]).toEqual([5, 1]);
  });
});

it('requests no encoding', async () => {
  platform.always(answers(200, SESSION));
  await CALLS['session.create'](buildClient(platform.origin).client, callWithin());
  expect(onlyRequest().headers).not.toHaveProperty('accept-encoding');
});

it('reaches roots with and without a path, with and without a slash at the end', async () => {
  platform.always(answers(200, SESSION));
  for (const [baseUrl, expected] of [
    [platform.origin, '/v2/app'],
    [`${platform.origin}/`, '/v2/app'],
    [`${platform.origin}/api/web/`, '/api/web/v2/app'],
  ] as const) {
    const { client } = buildClient(platform.origin, { credentials: { baseUrl } });
    await CALLS['session.create'](client, callWithin());
    expect(platform.received.at(-1)?.target).toBe(`${expected}/users/u-1/session?clientId=op1`);
  }
});
