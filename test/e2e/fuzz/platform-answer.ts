import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import fc from 'fast-check';

import { documentOf } from '../../support/platform-answers.ts';
import type { PlatformBehaviour, PlatformRequest } from '../../support/platform-stub.ts';
import { TOKEN_CANARY, valuesIn, WAYS_TO_ECHO } from './canary.ts';

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
const WIRE_HEADERS = [
  ...'transfer-encoding: chunked|connection: close|connection: upgrade|upgrade: websocket'.split('|'),
  ...'content-encoding: gzip|content-encoding: x|retry-after: 0|retry-after: x'.split('|'),
  ...'location: /elsewhere|keep-alive: timeout=0|keep-alive: timeout=99999999999'.split('|'),
  ...['0', '5', '99999999', '-1'].map((length) => `content-length: ${length}`),
];

/** A text or list at or beyond the limits of length and depth. */
const excessive: fc.Arbitrary<unknown> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...' -_\\"z', 'ä', '🂡', '%25', '&amp;', '--a'), fc.nat(60_000))
    .map(([unit, times]) => unit.repeat(times)),
  fc.nat(2_000).map((depth) => JSON.parse('['.repeat(depth) + '1' + ']'.repeat(depth)) as unknown),
  fc.nat(20_000).map((length) => Array.from({ length }, () => ({}))),
);

const fraction = fc.double({ min: 0, max: 1, noNaN: true });

/** An HTTP answer that is valid, almost valid or not HTTP. */
const wireText = fc.oneof(
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 100 }) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.oneof(fc.constantFrom(100, 101, 102, 103, 304, 999, ...STATUSES), fc.nat(1_100)),
        fc.array(fc.oneof(fc.constantFrom(...WIRE_HEADERS), fc.string({ maxLength: 30 })), { maxLength: 4 }),
        fc.oneof(
          fc.json(),
          fc.constant(`{"data":{"id":"${TOKEN_CANARY}","type":"session","attributes":{}}}`),
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc.json().map((text) => `{"data":${text},"meta":${text},"errors":[${text}]}`),
        ),
        fc.boolean(),
      )
      .map(([code, headers, body, hasLength]) => {
        const all = hasLength ? [...headers, `content-length: ${Buffer.byteLength(body)}`] : headers;
        return `HTTP/1.1 ${code} X\r\n${all.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
      }),
  },
);

/** Names a kind of answer, so that a failed case shows the name with the value. */
const kind = <T>(
  weight: number,
  name: string,
  value: fc.Arbitrary<T>,
  answer: (value: T, ...call: Parameters<PlatformBehaviour>) => unknown,
) => ({
  weight,
  arbitrary: value.map((each): PlatformBehaviour => {
    const behaviour: PlatformBehaviour = async (...call) => void (await answer(each, ...call));
    return Object.assign(behaviour, { [fc.toStringMethod]: () => `${name}: ${fc.stringify(each)}` });
  }),
});

/** The behaviour of the platform for one request. */
export const platformAnswer: fc.Arbitrary<PlatformBehaviour> = fc.oneof(
  kind(
    6,
    'right',
    fc.tuple(fc.constantFrom(0, 5, 90), fc.nat(3)),
    async ([ms, records], request, response) => {
      await sleep(ms);
      send(response, 200, rightDocument(request, records));
    },
  ),
  kind(
    2,
    'right but for one member, at any depth',
    fc.tuple(fc.nat(30), fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined), excessive)),
    ([nth, value], request, response) => send(response, 200, spoilt(rightDocument(request, 1), nth, value)),
  ),
  kind(
    3,
    'the request in every part of the answer',
    fc.tuple(fc.constantFrom(0, ...STATUSES), fc.constantFrom(...Object.keys(WAYS_TO_ECHO))),
    ([status, way], { url, body, headers }, response, socket) => {
      const all = [url.href, body, JSON.stringify(headers), valuesIn(body).join(' ')];
      const said = all.map(WAYS_TO_ECHO[way] ?? String);
      const errors = said.map((text) => ({
        title: text,
        detail: text,
        source: { pointer: text },
        [text]: text,
      }));
      const attributes = { auth: TOKEN_CANARY, 'redirect-url': `https://play.example/?auth=${TOKEN_CANARY}` };
      const text = JSON.stringify({ errors, data: { id: TOKEN_CANARY, type: said[0], attributes } });
      const location = said[0]?.replace(/[^ -~]/g, '') ?? '';
      if (status === 0) socket.end(`HTTP/1.1 broken ${text}`);
      else send(response, status, text, { location, 'x-echo': TOKEN_CANARY });
    },
  ),
  kind(
    2,
    'an error',
    fc.tuple(
      fc.constantFrom(...STATUSES),
      fc.oneof(fc.constantFrom(...DETAILS), fc.string()),
      fc.constantFrom('', '0', '1', '-1', 'x', '99999999999', 'Wed, 21 Oct 2099 07:28:00 GMT'),
    ),
    ([status, detail, retryAfter], _request, response) => {
      const errors = [{ status, title: 'X', detail }];
      send(response, status, JSON.stringify({ errors }), retryAfter ? { 'retry-after': retryAfter } : {});
    },
  ),
  kind(
    3,
    'bytes in two pieces',
    fc.tuple(wireText, fraction, fc.constantFrom('end', 'destroy', 'leave')),
    ([text, cut, end], _request, _response, socket) => {
      const bytes = Buffer.from(text);
      const at = Math.floor(bytes.length * cut);
      socket.write(bytes.subarray(0, at));
      setImmediate(() => {
        socket.write(bytes.subarray(at));
        if (end === 'end') socket.end();
        if (end === 'destroy') socket.destroy();
      });
    },
  ),
  kind(2, 'right up to a position, then a reset', fraction, (at, request, _response, socket) => {
    const body = rightDocument(request, 1);
    const text = `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    socket.write(text.slice(0, Math.floor(text.length * at)), () => socket.resetAndDestroy());
  }),
  kind(
    2,
    'at a limit',
    fc.constantFrom('silence', 'gzip bomb', 'deep', 'huge error'),
    (what, { body }, response) => {
      if (what === 'gzip bomb') send(response, 200, BOMB, { 'content-encoding': 'gzip' });
      if (what === 'deep') send(response, 200, `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
      if (what === 'huge error') send(response, 422, `{"errors":[{"detail":"${body.repeat(500)}"}]}`);
    },
  ),
);

/** Returns the document that the interface specifies, with canaries in its tokens. */
function rightDocument(request: PlatformRequest, records: number): string {
  return JSON.stringify(documentOf(request, records)).replaceAll('auth-', `${TOKEN_CANARY}-`);
}

/** Returns the document with its nth member replaced; `undefined` removes the member. */
function spoilt(document: string, nth: number, value: unknown): string {
  let seen = -1;
  return JSON.stringify(
    JSON.parse(document, (_name, original: unknown) => ((seen += 1) === nth ? value : original)),
  );
}

function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/vnd.api+json', ...headers }).end(body);
}
