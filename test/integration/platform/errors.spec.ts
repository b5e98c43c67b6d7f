import { beforeEach, describe, expect, it } from '@jest/globals';

import type { ErrorCode } from '#contracts';

import {
  buildClient,
  type CalledOperation,
  CALLS,
  callWithin,
  createSession,
  failureOf,
  OPERATIONS,
  startPlatform,
} from './client.fixture.ts';
import { errors } from './documents.ts';
import { answers, type LocalPlatform, truncates } from './local-platform.ts';

let platform: LocalPlatform;

beforeEach(async () => {
  platform = await startPlatform();
});

const fail = (operation: CalledOperation) =>
  failureOf(CALLS[operation](buildClient(platform.origin, { limits: { maxAttempts: 1 } }).client));

const ALL = OPERATIONS;
const V2 = OPERATIONS.filter((operation) => operation !== 'game.open');
const GAME = ['game.open'] as const;

/** The table of the bus contract, section 4: the answers of the platform. */
const TABLE: readonly (readonly [readonly CalledOperation[], number, string | undefined, ErrorCode])[] = [
  [ALL, 400, 'Not Valid Request Signature', 'SIGNATURE_REJECTED'],
  [GAME, 400, 'Not valid request', 'SIGNATURE_REJECTED'],
  [V2, 400, 'Not valid request', 'BAD_REQUEST'],
  [ALL, 400, 'Bad Request', 'BAD_REQUEST'],
  [ALL, 400, undefined, 'BAD_REQUEST'],
  [ALL, 401, undefined, 'FORBIDDEN'],
  [ALL, 403, 'Forbidden', 'FORBIDDEN'],
  [ALL, 302, undefined, 'UNEXPECTED_REDIRECT'],
  [['session.create'], 404, 'Not found', 'PLAYER_NOT_FOUND'],
  [['game.open', 'report.ad-hoc.fetch', 'report.rake.fetch'], 404, undefined, 'NOT_FOUND'],
  [ALL, 418, undefined, 'BAD_REQUEST'],
  [ALL, 422, 'Auth type not valid', 'AUTH_TYPE_INVALID'],
  [ALL, 422, 'Currency cannot be blank', 'CURRENCY_REQUIRED'],
  [ALL, 422, 'Currency not found', 'CURRENCY_NOT_FOUND'],
  [ALL, 422, 'This currency is not active', 'CURRENCY_INACTIVE'],
  [ALL, 422, 'A Player with this username already exists in the system.', 'NICKNAME_TAKEN'],
  [ALL, 422, 'The maximum username length is 12', 'NICKNAME_TOO_LONG'],
  [ALL, 422, 'Incorrect data', 'INCORRECT_DATA'],
  [ALL, 422, undefined, 'INCORRECT_DATA'],
  [ALL, 429, undefined, 'RATE_LIMITED'],
  [ALL, 500, 'Internal Server Error', 'PLATFORM_UNAVAILABLE'],
  [ALL, 599, undefined, 'PLATFORM_UNAVAILABLE'],
];

const ROWS = TABLE.flatMap(([operations, status, text, code]) =>
  operations.map((operation) => [operation, status, text, code] as const),
);

describe('the table', () => {
  it.each(ROWS)(
    '%s: %d %s is %s, in detail or title, in any letter case',
    async (operation, status, text, code) => {
      const entries =
        text === undefined
          ? [{}]
          : [
              { detail: text },
              { title: text },
              { detail: text.toUpperCase() },
              { title: ` ${text.toLowerCase()} ` },
            ];
      for (const entry of entries) {
        platform.next(answers(status, errors(status, entry)));
        const error = await fail(operation);
        expect([error.code, error.platform?.status]).toEqual([code, status]);
        if (code === 'NICKNAME_TOO_LONG') expect(error.details).toEqual({ maxLength: 12 });
        else if (status === 400 && code === 'BAD_REQUEST' && text !== 'Not valid request')
          expect(error.details).toEqual({ hint: 'signature' });
        else expect(error.details).toBeUndefined();
      }
    },
  );

  it.each([
    [['session.create', 'game.open'], '/data/attributes/authType', 'AUTH_TYPE_INVALID'],
    [['session.create', 'game.open'], 'auth-type', 'AUTH_TYPE_INVALID'],
    [['session.create'], '/data/attributes/currency', 'CURRENCY_REQUIRED'],
    [['game.open'], '/data/attributes/player/currency', 'CURRENCY_REQUIRED'],
    // Taken or too long: only a text says which.
    [['session.create', 'game.open'], '/data/attributes/nick', 'INCORRECT_DATA'],
    [['game.open'], '/data/attributes/player/preferredCurrency', 'INCORRECT_DATA'],
    [['report.ad-hoc.fetch', 'report.rake.fetch'], '/data/attributes/currency', 'INCORRECT_DATA'],
  ] as const)(
    '%j: a 422 whose text says nothing is classified by its pointer %s',
    async (operations, pointer, code) => {
      for (const operation of operations) {
        platform.next(answers(422, errors(422, { detail: 'Incorrect data', source: { pointer } })));
        expect((await fail(operation)).code).toBe(code);
        platform.next(
          answers(422, errors(422, { source: { pointer } }, { title: 'This currency is not active' })),
        );
        expect((await fail(operation)).code).toBe('CURRENCY_INACTIVE');
      }
    },
  );

  it('takes a currency that was sent for one that is not found', async () => {
    const entry = { source: { pointer: '/data/attributes/currency' } };
    platform.always(answers(422, errors(422, entry)));
    const { client } = buildClient(platform.origin);
    const session = { userId: 'u-1', currency: 'XXX' };
    expect((await failureOf(client.createSession(session, callWithin()))).code).toBe('CURRENCY_NOT_FOUND');
    const game = { player: { id: 'u-1', currency: 'XXX' } };
    expect((await failureOf(client.openGame(game, callWithin()))).code).toBe('CURRENCY_NOT_FOUND');
  });

  it.each([
    ['an empty body', 400, '', true],
    ['an empty list of errors', 400, '{"errors":[]}', true],
    ['a plain text', 400, 'Bad Request\n', true],
    ['another plain text', 400, 'Bad Request: userId', false],
    ['a page of a proxy', 400, '<html>Bad Request</html>', false],
    ['a pointer', 400, '{"errors":[{"source":{"pointer":"/data"}}]}', false],
    ['another status', 409, '', false],
  ])(
    'hints at the signature, and counts it, if a 400 says nothing: %s',
    async (_, status, body, isDoubted) => {
      platform.always(answers(status, body));
      const { client, observer } = buildClient(platform.origin);
      const error = await failureOf(createSession(client));
      expect([error.code, error.details]).toEqual([
        'BAD_REQUEST',
        isDoubted ? { hint: 'signature' } : undefined,
      ]);
      expect(observer.signatureDoubts).toBe(isDoubted ? 1 : 0);
    },
  );

  it('finds the text in any of several errors', async () => {
    platform.always(answers(422, errors(422, { detail: 'Something' }, { title: 'Currency not found' })));
    expect((await fail('game.open')).code).toBe('CURRENCY_NOT_FOUND');
  });
});

describe('an answer without an error document', () => {
  const BODIES = [
    ['empty', answers],
    [
      'HTML',
      (status: number) => answers(status, '<html>Currency not found</html>', { 'content-type': 'text/html' }),
    ],
    ['JSON that is cut', (status: number) => answers(status, '{"errors":[{"detail":"Currency not f')],
    ['a list', (status: number) => answers(status, [])],
    ['errors that are no list', (status: number) => answers(status, { errors: 'Currency not found' })],
    ['errors that are no objects', (status: number) => answers(status, { errors: [null, 1, 'x', []] })],
    [
      'members of other types',
      (status: number) => answers(status, errors(status, { detail: 1, title: {}, source: 'x' })),
    ],
    ['cut off', (status: number) => truncates(status, errors(status, { detail: 'Currency not found' }))],
    ['longer than an explanation', (status: number) => answers(status, 'x'.repeat(100_000))],
    ['many brackets', (status: number) => answers(status, '['.repeat(60_000))],
  ] as const;
  const CODES = [
    [302, 'UNEXPECTED_REDIRECT'],
    [400, 'BAD_REQUEST'],
    [403, 'FORBIDDEN'],
    [422, 'INCORRECT_DATA'],
    [429, 'RATE_LIMITED'],
    [500, 'PLATFORM_UNAVAILABLE'],
  ] as const;

  it.each(BODIES)('is classified by its status: %s', async (_name, behaviour) => {
    for (const [status, code] of CODES) {
      platform.next(behaviour(status));
      const error = await fail('session.create');
      expect([error.code, error.platform?.status]).toEqual([code, status]);
    }
  });

  // A proxy's page says nothing about a player.
  it.each([
    ['an empty one', answers, 'PLAYER_NOT_FOUND', undefined],
    [
      'one without errors',
      (status: number) => answers(status, { errors: [] }),
      'PLAYER_NOT_FOUND',
      undefined,
    ],
    ['HTML', (status: number) => answers(status, ' <html></html>'), 'NOT_FOUND', 'html'],
    ['JSON', (status: number) => answers(status, { message: 'no such route' }), 'NOT_FOUND', 'json'],
    ['a text', (status: number) => answers(status, '404 page not found'), 'NOT_FOUND', 'text'],
    ['one that is cut off', (status: number) => truncates(status, errors(status, {})), 'NOT_FOUND', 'text'],
  ] as const)(
    'is no missing player unless it is empty, or an error document: %s',
    async (_name, behaviour, code, body) => {
      platform.always(behaviour(404));
      const error = await fail('session.create');
      expect([error.code, error.details?.['body']]).toEqual([code, body]);
    },
  );
});

it('a redirect is never followed', async () => {
  const elsewhere = await startPlatform(answers(200));
  platform.always(answers(307, '', { location: `${elsewhere.origin}/api/web/v2/app/users/u-1/session` }));
  expect((await fail('session.create')).code).toBe('UNEXPECTED_REDIRECT');
  expect([platform.requests.length, elsewhere.requests.length]).toEqual([1, 0]);
});

describe('the part of an error that is passed on', () => {
  it('is status, title, detail and pointer', async () => {
    const entry = {
      title: 'Unprocessable',
      detail: 'Currency not found',
      source: { pointer: '/data/attributes/currency', parameter: 'x' },
      meta: { trace: 'stack' },
      code: '17',
    };
    platform.always(answers(422, { ...errors(422, entry), debug: 'stack' }));
    expect((await fail('session.create')).platform).toEqual({
      status: 422,
      errors: [
        {
          status: 422,
          title: 'Unprocessable',
          detail: 'Currency not found',
          pointer: '/data/attributes/currency',
        },
      ],
    });
  });

  it('is cut at 300 characters, and at 20 errors', async () => {
    const entries = Array.from({ length: 50 }, () => ({ detail: `${'x'.repeat(299)}🂡` }));
    platform.always(answers(422, errors(422, ...entries)));
    const { platform: answer } = await fail('session.create');
    expect(answer?.errors).toHaveLength(20);
    expect(answer?.errors[0]?.detail).toBe('x'.repeat(299));
  });

  it('holds no value of the command', async () => {
    const data = {
      player: { id: 'player "7"/ü', nick: 'Ace & <King>', email: 'ace@example.org', avatar: 4711, tag: 'x' },
      session: { launchOptions: '{"restoreSessionUrl":"https://op.example/?token=deep"}' },
    };
    platform.always((request, ...exchange) => {
      const detail = [
        `No ${data.player.id} here`,
        encodeURIComponent(data.player.id),
        data.player.email.toUpperCase(),
        'Ace &amp; &lt;King&gt;',
        'avatar 4711 of 47110',
        'tag x in text',
        'https://op.example/?token=deep',
        request.headers['sign'],
      ].join('; ');
      const source = { pointer: `/${data.player.nick}` };
      const entry = { detail, title: request.body.slice(0, 250), source };
      return answers(422, errors(422, entry))(request, ...exchange);
    });
    const error = await failureOf(buildClient(platform.origin).client.openGame(data, callWithin()));
    expect(error.platform?.errors[0]).toMatchObject({
      detail: 'No *** here; ***; ***; ***; avatar *** of ***0; tag *** in text; ***; ***',
      pointer: '/***',
    });
    expect(error.platform?.errors[0]?.title).not.toMatch(/Ace|ace@|4711|deep/);
  });
});
