import { describe, expect, it } from '@jest/globals';

import { pointerForLogs } from './validate-command.ts';
import {
  AUTH_TYPE,
  BOOLEAN,
  COMPLETE,
  describeMembers,
  INTEGER,
  LANGUAGE,
  LANGUAGE_TAG,
  type MemberKind,
  OBJECT,
  PAGE,
  PER_PAGE,
  PLAYER_ID,
  pointersOf,
  TEXT,
  violationsOf,
} from './validate-command.fixture.ts';

const EXTRA: MemberKind = {
  valid: [{}, { gameCode: 'poker', vip: true, level: -7, 'a-b_c': '' }],
  invalid: ['', [], 7, true],
};

describeMembers('session.create', {
  extra: { ...EXTRA, valid: [...EXTRA.valid, { launchOptions: { a: [1] } }] },
  'userId!': PLAYER_ID,
  nick: TEXT,
  authType: AUTH_TYPE,
  lang: LANGUAGE,
  currency: TEXT,
});

describe('reports', () => {
  const NO_TIMES: readonly unknown[] = [
    0,
    true,
    [],
    ['2026-01-01 00:00:00'],
    {},
    ...'|now|2026-01-01T00:00:00|2026-1-1 0:0:0'.split('|'),
    ...'2026-01-01 00:00:00Z|2026-01-01 00:00:00.000|2026-01-01 00:00:00\n| 2026-01-01 00:00:00'.split('|'),
    ...'+002026-01-01 00:00:00|٢٠٢٦-01-01 00:00:00|2026-13-01 00:00:00|2026-01-32 00:00:00'.split('|'),
    ...'2026-02-29 00:00:00|2024-02-30 00:00:00|2100-02-29 00:00:00'.split('|'),
    ...'2026-01-01 24:00:00|2026-01-01 00:60:00|2026-01-01 00:00:60'.split('|'),
  ];
  const FROM: MemberKind = {
    valid: ['0001-01-01 00:00:00', '2024-02-29 23:59:59', '2000-02-29 00:00:00', '2026-01-01 23:59:59'],
    invalid: NO_TIMES,
  };
  const TO: MemberKind = {
    valid: ['2026-03-01 00:00:01', '2028-02-29 23:59:59', '9999-12-31 23:59:59'],
    invalid: [...NO_TIMES, '2026-03-01 00:00:00', '2026-02-28 23:59:59'],
  };
  const AD_HOC = {
    'dateFrom!': FROM,
    'dateTo!': TO,
    userId: PLAYER_ID,
    currency: TEXT,
    page: PAGE,
    perPage: PER_PAGE,
  };

  describeMembers('report.ad-hoc.fetch', AD_HOC);

  describeMembers('report.rake.fetch', {
    ...AD_HOC,
    timeZone: {
      valid: ['+03:00', '-12:00', '+14:00', 'UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'],
      invalid: ['', 7, null, '+99:99', '+14:60', '-13:00', '+3:00', '+0300', 'Z', 'Europe/Atlantis'],
    },
    convertToPreferredCurrency: TEXT,
    sort: TEXT,
  });

  describe('a report period', () => {
    const within = (dateFrom: string, dateTo: string) =>
      violationsOf('report.ad-hoc.fetch', { ...COMPLETE['report.ad-hoc.fetch'], dateFrom, dateTo });

    it.each(['2026-01-02 00:00:00', '2026-01-01 23:59:59'])('has one fault if it ends at %s', (to) => {
      const fault = { pointer: '/dateTo', message: 'must be after dateFrom' };
      expect(within('2026-01-02 00:00:00', to)).toEqual([fault]);
    });

    it('is not checked for order if either end is not a date', () => {
      expect(within('2026-02-30 00:00:00', '2026-01-01 00:00:00').map(({ pointer }) => pointer)).toEqual([
        '/dateFrom',
      ]);
      expect(within('then', 'now').map(({ pointer }) => pointer)).toEqual(['/dateFrom', '/dateTo']);
    });
  });
});

describe('a period in a zone', () => {
  const pointersIn = (timeZone: string | undefined, dateFrom: string, dateTo = '2999-01-01 00:00:00') =>
    pointersOf('report.rake.fetch', { dateFrom, dateTo, ...(timeZone !== undefined && { timeZone }) });

  it.each([
    ['Europe/Berlin', '2026-03-29 02:00:00'],
    ['Australia/Lord_Howe', '2026-10-04 02:15:00'],
    // The whole day, at the date line.
    ['Pacific/Apia', '2011-12-30 12:00:00'],
  ])('does not begin or end at a time that the clocks of %s skip: %s', (zone, time) => {
    expect(pointersIn(zone, time)).toEqual(['/dateFrom']);
    expect(pointersIn(zone, '2001-01-01 00:00:00', time)).toEqual(['/dateTo']);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29 01:59:59'],
    ['Europe/Berlin', '0099-03-29 02:30:00'],
    ['+01:00', '2026-03-29 02:30:00'],
    [undefined, '2026-03-29 02:30:00'],
  ])('may begin at a time that clocks of %s show once or twice, or of no known zone: %s', (zone, time) => {
    expect(pointersIn(zone, time)).toEqual([]);
  });

  it('has one fault if the zone is unknown', () => {
    expect(pointersIn('Europe/Atlantis', '2026-03-29 02:30:00')).toEqual(['/timeZone']);
  });
});

const PLAYER_TEXTS =
  'nick name email referredBy referralCode bonusCode phoneNumber tag currency preferredCurrency country';

describeMembers('game.open', {
  'player!': OBJECT,
  'player.id!': PLAYER_ID,
  ...Object.fromEntries(PLAYER_TEXTS.split(' ').map((name) => [`player.${name}`, TEXT])),
  'player.avatar': INTEGER,
  'player.active': BOOLEAN,
  'player.verified': BOOLEAN,
  'player.trustedLevel': INTEGER,
  'player.extra': EXTRA,
  session: OBJECT,
  'session.extra': EXTRA,
  'session.id': TEXT,
  'session.authType': AUTH_TYPE,
  'session.tableId': INTEGER,
  'session.lang': LANGUAGE_TAG,
  'session.launchOptions': {
    // More cases are in launch-options.spec.ts.
    valid: [{ restoreSessionUrl: 'https://example.com' }, '{}'],
    invalid: [0, true, '', { level: 1.5 }],
  },
  'session.longLifeLoginToken': BOOLEAN,
  'session.userIp': TEXT,
});

it.each([
  ['session.create', { userId: 'u', extra: { nick: 'a' } }, '/extra/nick'],
  ['session.create', { userId: 'u', extra: { clientId: 'a' } }, '/extra/clientId'],
  ['session.create', { userId: 'u', extra: { launchOptions: { 7: 1 } } }, '/extra/launchOptions/7'],
  ['session.create', { userId: 'u', extra: { a: 1.5 } }, '/extra/a'],
  ['game.open', { player: { id: 'u', extra: { city: {} } } }, '/player/extra/city'],
  [
    'game.open',
    { player: { id: 'u' }, session: { extra: { launchOptions: {} } } },
    '/session/extra/launchOptions',
  ],
  ['game.open', { player: { id: 'u' }, session: { extra: { 'a/b': 1 } } }, '/session/extra/a~1b'],
] as const)('refuses extra members of %s: %j', (type, data, pointer) => {
  const [violation] = violationsOf(type, data);
  expect(violation).toMatchObject({ pointer, message: expect.stringMatching(/^must /) });
  expect(pointerForLogs(violation!)).toBe(pointer.replace(/(extra)\/.*/, '$1/*'));
});

it('does not validate the members of a list given instead of an object', () => {
  const list = Object.defineProperty([], 0, {
    enumerable: true,
    get() {
      throw new Error('looked into');
    },
  });
  expect(pointersOf('game.open', { player: list })).toEqual(['/player']);
  expect(pointersOf('game.open', { player: JSON.parse('[{"constructor":null}]') })).toEqual(['/player']);
});
