import { describe, expect, it } from '@jest/globals';

import type { ErrorCode } from '#contracts';

import {
  buildClient,
  type CalledOperation,
  CALLS,
  callWithin,
  createSession,
  failureOf,
  OPERATIONS,
  platform,
  startPlatform,
} from './client.ts';
import { errors } from './documents.ts';
import { answers, type Behaviour, drips, truncates } from './local-platform.ts';

const fail = (operation: CalledOperation = 'session.create') =>
  failureOf(CALLS[operation](buildClient({ limits: { maxAttempts: 1 } }).client));

const ALL = OPERATIONS;

/** The table of the bus contract, section 4: the answers of the platform. */
const TABLE: readonly (readonly [readonly CalledOperation[], number, string | undefined, ErrorCode])[] = [
  [ALL, 400, 'Not Valid Request Signature', 'SIGNATURE_REJECTED'],
  [ALL, 400, 'Not valid request', 'SIGNATURE_REJECTED'],
  [ALL, 400, 'Bad Request', 'BAD_REQUEST'],
  [ALL, 401, undefined, 'FORBIDDEN'],
  [ALL, 403, 'Forbidden', 'FORBIDDEN'],
  [ALL, 302, undefined, 'UNEXPECTED_REDIRECT'],
  [['session.create'], 404, 'Not found', 'PLAYER_NOT_FOUND'],
  [['game.open', 'report.ad-hoc.fetch', 'report.rake.fetch'], 404, undefined, 'NOT_FOUND'],
  // Without a proxy, the answer is the platform's own.
  [ALL, 407, undefined, 'BAD_REQUEST'],
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

describe('the error table', () => {
  it.each(TABLE)('%j: %d %s is %s at any position of the text, in any letter case', async (...row) => {
    const [operations, status, text, code] = row;
    const member = status === 422 ? 'player.nick: ' : '';
    const documents =
      text === undefined
        ? [errors(status, {})]
        : [
            errors(status, { detail: text }),
            errors(status, { title: ` ${text.toUpperCase()} ` }),
            { title: 'An error occurred', description: text },
            { type: 'about:blank', status: String(status), detail: `${member}${text}` },
            { name: 'An error occurred', message: text, status },
            { violations: [{ propertyPath: '', message: text }] },
            [{ message: text }],
          ];
    // Only a JSON:API document proves that the platform itself does not know a player.
    if (status === 404) documents.splice(2);
    const hint = code === 'BAD_REQUEST' && status === 400 ? { hint: 'signature' } : undefined;
    for (const operation of operations) {
      // Testing the position of the text with one operation is sufficient.
      for (const document of documents.slice(0, operation === operations[0] ? undefined : 2)) {
        platform.next(answers(status, document));
        const error = await fail(operation);
        expect([error.code, error.platform?.status]).toEqual([code, status]);
        expect(error.details).toEqual(code === 'NICKNAME_TOO_LONG' ? { maxLength: 12 } : hint);
      }
    }
  });

  it.each([
    [['session.create', 'game.open'], '/data/attributes/authType', 'AUTH_TYPE_INVALID'],
    [['session.create', 'game.open'], 'auth-type', 'AUTH_TYPE_INVALID'],
    [['game.open'], 'data/attributes/player.currency', 'CURRENCY_REQUIRED'],
    [['game.open'], '#/player[currency]', 'CURRENCY_REQUIRED'],
    [['session.create'], '/data/attributes/currency', 'CURRENCY_REQUIRED'],
    [['game.open'], '/data/attributes/player/currency', 'CURRENCY_REQUIRED'],
    // The nickname may be taken or too long; only a text tells which.
    [['session.create', 'game.open'], '/data/attributes/nick', 'INCORRECT_DATA'],
    [['game.open'], '/data/attributes/player/preferredCurrency', 'INCORRECT_DATA'],
    [['report.ad-hoc.fetch', 'report.rake.fetch'], '/data/attributes/currency', 'INCORRECT_DATA'],
  ] as const)(
    '%j: a 422 without a known text is classified by its pointer %s',
    async (operations, pointer, code) => {
      for (const operation of operations) {
        platform.next(answers(422, errors(422, { detail: 'Incorrect data', source: { pointer } })));
        expect((await fail(operation)).code).toBe(code);
        const inactive = { title: 'This currency is not active' };
        platform.next(answers(422, errors(422, { source: { pointer } }, inactive)));
        expect((await fail(operation)).code).toBe('CURRENCY_INACTIVE');
      }
    },
  );

  it('reports CURRENCY_NOT_FOUND if the command contained a currency', async () => {
    const entry = { source: { pointer: '/data/attributes/currency' } };
    platform.always(answers(422, errors(422, entry)));
    const { client } = buildClient();
    const session = { userId: 'u-1', currency: 'XXX' };
    expect((await failureOf(client.call('session.create', session, callWithin()))).code).toBe(
      'CURRENCY_NOT_FOUND',
    );
    const game = { player: { id: 'u-1', currency: 'XXX' } };
    expect((await failureOf(client.call('game.open', game, callWithin()))).code).toBe('CURRENCY_NOT_FOUND');
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
    'hints at the signature and counts it if a 400 gives no reason: %s',
    async (_, status, body, isDoubted) => {
      platform.always(answers(status, body));
      const { client, observer } = buildClient();
      const error = await failureOf(createSession(client));
      const hint = isDoubted ? { hint: 'signature' } : undefined;
      expect([error.code, error.details]).toEqual(['BAD_REQUEST', hint]);
      expect(observer.signatureDoubts).toBe(isDoubted ? 1 : 0);
    },
  );
});

describe('an answer without an error document', () => {
  const NOT_FOUND = 'Currency not found';
  // A proxy's page says nothing about a player.
  it.each<[unknown, ErrorCode, string?]>([
    ['', 'PLAYER_NOT_FOUND'],
    [{ errors: [] }, 'PLAYER_NOT_FOUND'],
    [` <html>${NOT_FOUND}</html>`, 'NOT_FOUND', 'html'],
    [{ errors: NOT_FOUND }, 'NOT_FOUND', 'json'],
    [{ errors: [null, 1, 'x', []] }, 'PLAYER_NOT_FOUND'],
    [{ errors: [{ detail: 1, title: {}, source: 'x' }] }, 'PLAYER_NOT_FOUND'],
    ['x'.repeat(100_000), 'NOT_FOUND', 'text'],
    ['['.repeat(60_000), 'NOT_FOUND', 'json'],
  ])(
    'is classified by its status; PLAYER_NOT_FOUND only if the platform itself answered: body %#',
    async (...row) => {
      const [body, notFound, kind] = row;
      for (const [status, code] of [
        [302, 'UNEXPECTED_REDIRECT'],
        [400, 'BAD_REQUEST'],
        [403, 'FORBIDDEN'],
        [404, notFound],
        [422, 'INCORRECT_DATA'],
        [500, 'PLATFORM_UNAVAILABLE'],
      ] as const) {
        platform.next(answers(status, body));
        const error = await fail();
        expect([error.code, error.platform?.status]).toEqual([code, status]);
        expect(error.details?.['body']).toBe(status === 403 || status === 404 ? kind : undefined);
      }
    },
  );

  it.each<[string, Behaviour]>([
    ['breaks off', truncates(404, errors(404, { detail: NOT_FOUND }))],
    ['drips', drips(404, { errors: ['x'.repeat(10_000)] })],
    ['is too large', answers(404, 'x'.repeat(70_000))],
  ])('that %s is classified by its status, and its connection is discarded', async (_, behaviour) => {
    platform.next(behaviour);
    const { client } = buildClient({ limits: { attemptTimeoutMs: 600 } });
    const error = await failureOf(createSession(client));
    expect([error.code, error.details]).toEqual(['NOT_FOUND', { body: 'text' }]);
    await failureOf(createSession(client));
    expect(platform.connections).toBe(2);
  });

  it('is ignored if it is an informational response before the answer', async () => {
    platform.always((_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(403).end();
    });
    expect((await fail()).code).toBe('FORBIDDEN');
  });
});

it('a redirect is never followed', async () => {
  const elsewhere = await startPlatform(answers(200));
  platform.always(answers(307, '', { location: `${elsewhere.origin}/api/web/v2/app/users/u-1/session` }));
  expect((await fail()).code).toBe('UNEXPECTED_REDIRECT');
  expect([platform.requests.length, elsewhere.requests.length]).toEqual([1, 0]);
});

describe('the errors that are passed on', () => {
  // That no value of the command is passed on is tested in test/e2e/fuzz, and for all notations in
  // libs/platform/src/errors/redactor.spec.ts.
  it('contain status, title, detail and pointer, truncated to 300 characters, and at most 20 errors', async () => {
    const pointer = '/data/attributes/currency';
    const source = { pointer, parameter: 'x' };
    const entry = { title: 'T', detail: `${'x'.repeat(299)}🂡`, source, code: '17' };
    const entries = Array.from({ length: 50 }, () => ({ ...entry, meta: { trace: 'stack' } }));
    platform.always(answers(422, { ...errors(422, ...entries), debug: 'stack' }));
    const passedOn = { status: 422, title: 'T', detail: 'x'.repeat(299), pointer };
    const { platform: answer } = await fail();
    expect(answer).toEqual({ status: 422, errors: Array.from({ length: 20 }, () => passedOn) });
  });
});
