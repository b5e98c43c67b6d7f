import { beforeEach, describe, expect, it } from '@jest/globals';

import type { GameOpen, SessionCreate } from '#contracts';

import { healthy } from '../../support/platform-answers.ts';
import { buildClient, callWithin, type ClientOptions, digest, platform, recordsOf } from './client.ts';
import { targetOf } from './local-platform.ts';

beforeEach(() => void platform.always(healthy(101)));

const create = (data: SessionCreate, options: ClientOptions = {}) =>
  buildClient(options).client.call('session.create', data, callWithin());
const openGame = (data: GameOpen) => buildClient().client.call('game.open', data, callWithin());

function onlyRequest() {
  expect(platform.requests).toHaveLength(1);
  const request = platform.requests[0]!;
  return { ...request, target: targetOf(request) };
}

const FORM = 'application/x-www-form-urlencoded';

describe('session.create', () => {
  it('percent-encodes the user id, signs it decoded, omits absent members, and requests no content encoding', async () => {
    const userId = 'a+b/c?d&e=f g%2F#ü';
    await create({ userId });
    const { target, body, headers } = onlyRequest();
    const encoded = 'a%2Bb%2Fc%3Fd%26e%3Df%20g%252F%23%C3%BC';
    expect(target).toBe(`/api/web/v2/app/users/${encoded}/session?clientId=op1`);
    expect(body).toBe(`userId=${encoded}`);
    expect(headers['sign']).toBe(digest(userId));
    expect(headers).not.toHaveProperty('accept-encoding');
  });

  it.each([
    ['', '/v2/app'],
    ['/', '/v2/app'],
    ['/api/web/', '/api/web/v2/app'],
  ])('builds the path for a root URL that ends with %j', async (end, expected) => {
    await create({ userId: 'u-1' }, { credentials: { baseUrl: platform.origin + end } });
    expect(onlyRequest().target).toBe(`${expected}/users/u-1/session?clientId=op1`);
  });
});

describe('game.open', () => {
  const data = {
    player: { id: 'u-1', nick: 'Ace', active: false, avatar: 12, country: 'DE' },
    session: { id: 's-1', tableId: 7, launchOptions: { locale: 'de', list: [3, 1] } },
  };

  it('sends launch options given as a JSON string as an object, with the same signature', async () => {
    const launchOptions = JSON.stringify(data.session.launchOptions);
    await openGame(data);
    await openGame({ ...data, session: { ...data.session, launchOptions } });
    const [first, second] = platform.requests;
    expect(targetOf(first!)).toBe('/apiweb/v3/open-game?client=op1');
    expect([second?.body, second?.headers['sign']]).toEqual([first?.body, first?.headers['sign']]);
  });
});

describe('additional members', () => {
  const settings = {
    extraMembers: new Set(
      'session.create/gameCode session.create/launchOptions game.open/player/city game.open/session/vip'.split(
        ' ',
      ),
    ),
    clientKey: 'key 1',
    userAgent: 'operator/7',
  };

  it('are sent and signed as text in a form, with launchOptions as JSON', async () => {
    const extra = { gameCode: 'poker', launchOptions: { theme: 'dark', back: 'https://op.example' } };
    await create({ userId: 'u-1', extra }, { settings });
    const { body, headers } = onlyRequest();
    const launchOptions = JSON.stringify(extra.launchOptions);
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({ ...extra, launchOptions, userId: 'u-1' });
    const sign = digest('pokerhttps://op.exampledarku-1');
    expect(headers).toMatchObject({ sign, 'user-agent': 'operator/7' });
  });

  it('are sent and signed at the position of extra in a game, with the client key of the operator', async () => {
    const game = {
      player: { id: 'u-1', extra: { city: 'Ulm' } },
      session: { id: 's', extra: { vip: true } },
    };
    await buildClient({ settings }).client.call('game.open', game, callWithin());
    const { target, body, headers } = onlyRequest();
    expect(target).toBe('/apiweb/v3/open-game?client=key%201');
    const attributes = { session: { vip: true, id: 's' }, player: { city: 'Ulm', id: 'u-1' } };
    expect(JSON.parse(body)).toEqual({ data: { type: 'OpenGame', attributes } });
    expect(headers['sign']).toBe(digest('key 1Ulmu-1s1OpenGame'));
  });

  it('are refused unless the settings allow them, and if they have the name of the country member', async () => {
    const game = {
      player: { id: 'u-1', extra: { land: 'DE', city: 'Ulm' } },
      session: { extra: { city: 'x' } },
    };
    const { client } = buildClient({ settings: { ...settings, playerCountryMember: 'land' } });
    const refused = client.call('game.open', game, callWithin());
    const violations = ['/player/extra/land', '/session/extra/city'].map((pointer) =>
      expect.objectContaining({ pointer }),
    );
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_FAILED', violations });
    expect(platform.requests).toEqual([]);
  });
});

describe('reports', () => {
  const period = { dateFrom: '2026-01-30 00:00:00', dateTo: '2026-01-31 00:00:00' };
  const page = { page: 2, perPage: 100 };

  it('requests the ad hoc report with a form body, and its pages with query parameters', async () => {
    const data = { ...period, userId: 'u-1', currency: 'USD' };
    const report = await buildClient().client.call('report.ad-hoc.fetch', data, callWithin(), page);
    expect(report).toMatchObject({ totalCount: 101, pageCount: 2, currentPage: 2, perPage: 100 });
    expect(recordsOf(report)).toMatchObject([
      { id: '101', userId: 'u-101', moneyType: 1, win: 1, tournamentFee: 8, rabbitHunting: 20 },
    ]);
    const { method, target, headers, body } = onlyRequest();
    const query = 'clientId=op1&per-page=100&page=2';
    expect([method, target]).toEqual(['POST', `/api/web/v2/app/reports/ad_hoc?${query}`]);
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual(data);
    const sign = digest('USD2026-01-30 00:00:002026-01-31 00:00:00u-1');
    expect(headers).toMatchObject({ 'content-type': FORM, sign });
  });

  const rake = {
    ...period,
    userId: 'u-1',
    timeZone: '+03:00',
    convertToPreferredCurrency: '1',
    sort: '-value',
  };
  const rakeSign = digest('12026-01-30 00:00:002026-01-31 00:00:00+03:00u-1');

  it.each([
    ['query', undefined],
    ['both', '2026-01-30 00:00:00'],
  ] as const)(
    'sends the parameters of the rake report in %s, signed once',
    async (rakeParametersIn, inForm) => {
      const { client } = buildClient({ settings: { rakeParametersIn } });
      await client.call('report.rake.fetch', rake, callWithin(), page);
      const { target, headers, body } = onlyRequest();
      expect(new URL(target, 'http://x').searchParams.get('dateFrom')).toBe('2026-01-30 00:00:00');
      expect(new URLSearchParams(body).get('dateFrom') ?? undefined).toBe(inForm);
      expect(headers['sign']).toBe(rakeSign);
    },
  );

  it('requests the rake report by a GET with a form body and keeps the connection', async () => {
    const { client } = buildClient();
    const report = await client.call('report.rake.fetch', rake, callWithin(), page);
    expect(recordsOf(report)).toEqual([{ id: '101', userId: 'u-101', currency: 'USD', value: 1 }]);
    const { method, target, headers, body } = onlyRequest();
    const query =
      'clientId=op1&per-page=100&page=2&timeZone=%2B03%3A00&convertToPreferredCurrency=1&sort=-value';
    expect([method, target]).toEqual(['GET', `/api/web/v2/app/users/rake?${query}`]);
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({ ...period, userId: 'u-1' });
    expect(headers).toMatchObject({ 'content-type': FORM, sign: rakeSign });
    for (let i = 0; i < 4; i += 1) await client.call('report.rake.fetch', rake, callWithin(), page);
    expect([platform.requests.length, platform.connections]).toEqual([5, 1]);
  });
});
