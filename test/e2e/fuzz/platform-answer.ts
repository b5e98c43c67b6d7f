import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import fc from 'fast-check';

import { TOKEN_CANARY, valuesIn, WAYS_TO_ECHO } from '../../support/fuzz/canary.ts';
import { type WireAnswer, wireAnswer, writeAnswer } from '../../support/fuzz/wire-answer.ts';
import { adHocAttributes, playerOf } from '../../support/platform-answers.ts';
import type { PlatformRequest } from '../../support/platform-stub.ts';

/** What the platform does with one request. */
export type PlatformAnswer =
  | { readonly kind: 'right'; readonly afterMs: number; readonly pages: number }
  /** A success with one member missing or of another type, at any depth. */
  | { readonly kind: 'wrong'; readonly member: number; readonly value: unknown }
  /** Repeats the whole request in every part of the answer. */
  | { readonly kind: 'echo'; readonly status: number; readonly way: string }
  | { readonly kind: 'error'; readonly status: number; readonly detail: string; readonly retryAfter: string }
  | { readonly kind: 'wire'; readonly answer: WireAnswer }
  /** The right answer up to a position, 0 to 1, and then the end of the connection. */
  | { readonly kind: 'reset'; readonly at: number }
  | { readonly kind: 'silence' | 'gzip bomb' | 'deep' | 'huge error' };

const MiB = 1024 * 1024;
const BOMB = gzipSync(Buffer.alloc(20 * MiB, 0x20));
const DETAILS = [
  'Not Valid Request Signature',
  'Currency not found',
  'The maximum username length is 12',
  'The maximum username length is 99999999999999999999',
  'A Player with this username already exists in the system.',
  '__proto__',
];
const STATUSES = [200, 201, 204, 301, 302, 307, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 599];

/** A text or list at and beyond the limits of length and depth. */
const excessive: fc.Arbitrary<unknown> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...' -_\\"a', 'ä', '🂡', '%25', '&amp;', '--a'), fc.nat(60_000))
    .map(([unit, times]) => unit.repeat(times)),
  fc.nat(2_000).map((depth) => JSON.parse('['.repeat(depth) + '1' + ']'.repeat(depth)) as unknown),
  fc.nat(20_000).map((length) => Array.from({ length }, () => ({}))),
);

const kind = <K extends string>(name: K) => fc.constant({ kind: name });
const pages = fc.integer({ min: 0, max: 3 });

export const platformAnswer: fc.Arbitrary<PlatformAnswer> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('right' as const), afterMs: fc.constantFrom(0, 5, 90), pages }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wrong' as const),
      member: fc.nat(30),
      value: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined), excessive),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('echo' as const),
      status: fc.constantFrom(0, ...STATUSES),
      way: fc.constantFrom(...Object.keys(WAYS_TO_ECHO)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('error' as const),
      status: fc.constantFrom(...STATUSES),
      detail: fc.oneof(fc.constantFrom(...DETAILS), fc.string()),
      retryAfter: fc.constantFrom('', '0', '1', '-1', 'x', '99999999999', 'Wed, 21 Oct 2099 07:28:00 GMT'),
    }),
  },
  {
    weight: 3,
    arbitrary: wireAnswer(`{"data":{"id":"${TOKEN_CANARY}","type":"session","attributes":{}}}`).map(
      (answer) => ({ kind: 'wire' as const, answer }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reset' as const),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 2, arbitrary: fc.oneof(kind('silence'), kind('gzip bomb'), kind('deep'), kind('huge error')) },
);

/** Answers a request. */
export async function giveAnswer(
  answer: PlatformAnswer,
  request: PlatformRequest,
  response: ServerResponse,
  socket: Socket,
): Promise<void> {
  switch (answer.kind) {
    case 'right':
      await sleep(answer.afterMs);
      return send(response, 200, JSON.stringify(rightDocument(request, answer.pages)));
    case 'wrong':
      return send(
        response,
        200,
        JSON.stringify(spoilt(rightDocument(request, 1), answer.member, answer.value)),
      );
    case 'echo':
      return echo(answer.status, WAYS_TO_ECHO[answer.way] ?? String, request, response, socket);
    case 'error': {
      const errors = [{ status: answer.status, title: 'X', detail: answer.detail }];
      const retryAfter = answer.retryAfter === '' ? {} : { 'retry-after': answer.retryAfter };
      return send(response, answer.status, JSON.stringify({ errors }), retryAfter);
    }
    case 'wire':
      return writeAnswer(answer.answer, socket);
    case 'silence':
      return;
    case 'gzip bomb':
      return send(response, 200, BOMB, { 'content-encoding': 'gzip' });
    case 'deep':
      return send(response, 200, `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    case 'huge error':
      return send(response, 422, `{"errors":[{"detail":"${request.body.repeat(500)}"}]}`);
    case 'reset': {
      const body = JSON.stringify(rightDocument(request, 1));
      const text = `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
      socket.write(text.slice(0, Math.floor(text.length * answer.at)), () => socket.resetAndDestroy());
    }
  }
}

/** The document that the interface promises, with canaries in its tokens. */
function rightDocument(request: PlatformRequest, pageCount: number): object {
  const playerId = playerOf(request);
  if (playerId === undefined) return report(request, pageCount);
  const url = `https://lobby.example/?auth=${TOKEN_CANARY}&lang=en`;
  const common = { auth: TOKEN_CANARY };
  return request.url.pathname.endsWith('/open-game')
    ? {
        data: {
          type: 'GameSession',
          id: '/games/1',
          attributes: { ...common, playerId, sessionId: 'session-1', url },
        },
      }
    : {
        data: {
          type: 'session',
          id: TOKEN_CANARY,
          attributes: { ...common, 'user-id': playerId, 'session-id': 'session-1', 'redirect-url': url },
        },
      };
}

function report({ url }: PlatformRequest, pageCount: number): object {
  const page = Number(url.searchParams.get('page'));
  const perPage = Number(url.searchParams.get('per-page'));
  const type = url.pathname.endsWith('/rake') ? 'players-rake' : 'ad-hoc-report';
  const attributes = { ...adHocAttributes('u-1'), value: 1 };
  return {
    data: page > pageCount ? [] : [{ type, id: String(page), attributes }],
    links: { self: { href: String(url) } },
    meta: {
      'total-count': pageCount,
      'page-count': pageCount,
      'current-page': page,
      'per-page': perPage,
    },
  };
}

/** The document with the nth of its members replaced; `undefined` removes it. */
function spoilt(document: object, nth: number, value: unknown): unknown {
  let seen = -1;
  return JSON.parse(JSON.stringify(document), (_name, original: unknown) =>
    (seen += 1) === nth ? value : original,
  );
}

function echo(
  status: number,
  way: (text: string) => string,
  request: PlatformRequest,
  response: ServerResponse,
  socket: Socket,
): void {
  const { url, body, headers } = request;
  const said = [url.href, body, JSON.stringify(headers), valuesIn(body).join(' ')].map(way);
  const errors = said.map((text) => ({ title: text, detail: text, source: { pointer: text }, [text]: text }));
  const attributes = { auth: TOKEN_CANARY, 'redirect-url': `https://play.example/?auth=${TOKEN_CANARY}` };
  const text = JSON.stringify({ errors, data: { id: TOKEN_CANARY, type: said[0], attributes } });
  const location = said[0]?.replace(/[^ -~]/g, '') ?? '';
  if (status === 0) socket.end(`HTTP/1.1 broken ${text}`);
  else send(response, status, text, { location, 'x-echo': TOKEN_CANARY });
}

function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/vnd.api+json', ...headers }).end(body);
}
