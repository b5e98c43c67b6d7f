import { type BadMessage, bytes, invalid, nested } from './bad-message.ts';

const DAY = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
const GAME = { player: { id: 'p-1' } };
const SESSION = { userId: 'p-1' };

const unknown = (name: string, routingKey: string, type?: string): BadMessage => ({
  name,
  routingKey,
  ...(type !== undefined && { options: { type } }),
  code: 'UNKNOWN_COMMAND',
});

/** Unknown types; the alternate exchange keeps them from being dropped. */
export const UNKNOWN: readonly BadMessage[] = [
  unknown('a mistyped routing key', 'session.creat'),
  unknown('another case of letters', 'Session.Create'),
  unknown('a wildcard', '#'),
  unknown('a routing key of 255 bytes', 'x'.repeat(255)),
  unknown('no routing key at all', ''),
  unknown('an unknown type over a known routing key', 'session.create', 'session.delete'),
  unknown('a member of every object', 'session.create', 'constructor'),
  unknown('the prototype', 'session.create', '__proto__'),
  unknown('a reply type', 'session.create', 'command.failed'),
  unknown('a type with a line break', 'session.create', 'session.create\n'),
  unknown('a report by its short name', 'report.ad-hoc.fetch', 'ad-hoc'),
];

const game = { routingKey: 'game.open' };
const adHoc = { routingKey: 'report.ad-hoc.fetch' };
const rake = { routingKey: 'report.rake.fetch' };

/** Data that break section 2. */
export const INVALID: readonly BadMessage[] = [
  invalid('nothing', {}, ['/userId']),
  invalid('null for a member', { userId: null }, ['/userId']),
  invalid('a number for a string', { userId: 7 }, ['/userId']),
  invalid('an object for a string', { userId: { $ne: '' } }, ['/userId']),
  invalid('an array for a string', { userId: ['p-1'] }, ['/userId']),
  invalid('an empty id', { userId: '' }, ['/userId']),
  invalid('a dot for an id', { userId: '.' }, ['/userId']),
  invalid('two dots for an id', { userId: '..' }, ['/userId']),
  invalid('256 characters', { userId: 'x'.repeat(256) }, ['/userId']),
  invalid('almost 64 KiB in one member', { userId: 'x'.repeat(65_000) }, ['/userId']),
  invalid('a control character', { userId: 'p\u0000' }, ['/userId']),
  invalid('a lone surrogate', bytes('{"userId":"\\ud800"}'), ['/userId']),
  invalid('an auth type that is none', { ...SESSION, authType: 'External' }, ['/authType']),
  invalid('a language of three letters', { ...SESSION, lang: 'eng' }, ['/lang']),
  invalid('an unknown member', { ...SESSION, admin: true }, ['/admin']),
  invalid('another case of letters', { userid: 'p-1' }, ['/userid', '/userId']),
  invalid('a name that a pointer must escape', { ...SESSION, 'a/b~c': 1 }, ['/a~1b~0c']),
  invalid('__proto__', bytes('{"userId":"p-1","__proto__":{"admin":true}}'), ['/__proto__']),
  invalid('__proto__ that is all', bytes('{"__proto__":{"userId":"p-1"}}'), ['/__proto__', '/userId']),
  invalid('constructor', bytes('{"userId":"p-1","constructor":{"prototype":{}}}'), ['/constructor']),
  invalid('toString', bytes('{"userId":"p-1","toString":"x"}'), ['/toString']),
  invalid('20,000 arrays in a member', bytes(`{"userId":${nested(20_000)}}`), ['/userId']),
  invalid('20,000 arrays in an unknown member', bytes(`{"userId":"p-1","x":${nested(20_000)}}`), ['/x']),
  invalid('a game without a player', {}, ['/player'], game),
  invalid('a player that is an array', { player: [] }, ['/player'], game),
  invalid('a player without an id', { player: {} }, ['/player/id'], game),
  invalid(
    '__proto__ in a player',
    bytes('{"player":{"id":"p-1","__proto__":{}}}'),
    ['/player/__proto__'],
    game,
  ),
  invalid('a string for a boolean', { player: { id: 'p-1', active: 'true' } }, ['/player/active'], game),
  invalid('a fraction for an integer', { player: { id: 'p-1', avatar: 1.5 } }, ['/player/avatar'], game),
  invalid(
    'an integer beyond 2^53',
    bytes('{"player":{"id":"p","avatar":9007199254740992}}'),
    ['/player/avatar'],
    game,
  ),
  invalid('1e400', bytes('{"player":{"id":"p","avatar":1e400}}'), ['/player/avatar'], game),
  invalid(
    'an empty session with a wrong member',
    { ...GAME, session: { table: 1 } },
    ['/session/table'],
    game,
  ),
  invalid('a session that is a string', { ...GAME, session: 's-1' }, ['/session'], game),
  invalid('a table that is a string', { ...GAME, session: { tableId: '42' } }, ['/session/tableId'], game),
  ...Object.entries({
    'an array': [],
    'a string that is no JSON': 'x',
    'a string of an array': '[]',
    'a number as name': { 7: 1 },
    'a fraction': { a: { b: [0.5] } },
    'more than 8 KiB': { a: 'x'.repeat(8_200) },
    null: null,
  }).map(([what, launchOptions]) =>
    invalid(
      `launch options: ${what}`,
      { ...GAME, session: { launchOptions } },
      ['/session/launchOptions'],
      game,
    ),
  ),
  invalid(
    'launch options: 10,000 levels',
    bytes(`{"player":{"id":"p-1"},"session":{"launchOptions":{"a":${nested(10_000)}}}}`),
    ['/session/launchOptions'],
    game,
  ),
  invalid('a report without a period', {}, ['/dateFrom', '/dateTo'], adHoc),
  invalid('a day that does not exist', { ...DAY, dateFrom: '2026-02-30 00:00:00' }, ['/dateFrom'], adHoc),
  invalid('another form of date', { ...DAY, dateFrom: '2026-01-01T00:00:00Z' }, ['/dateFrom'], adHoc),
  invalid('an empty period', { ...DAY, dateTo: DAY.dateFrom }, ['/dateTo'], adHoc),
  invalid('page 0', { ...DAY, page: 0 }, ['/page'], adHoc),
  invalid('1001 a page', { ...DAY, perPage: 1001 }, ['/perPage'], rake),
  invalid('the sort of a report that has none', { ...DAY, sort: 'id' }, ['/sort'], adHoc),
  invalid(
    'a boolean for a string',
    { ...DAY, convertToPreferredCurrency: true },
    ['/convertToPreferredCurrency'],
    rake,
  ),
];
