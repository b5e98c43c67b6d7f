import type { Socket } from 'node:net';

import fc from 'fast-check';

/** An HTTP answer, valid, almost valid or not HTTP at all; in one piece or two; the connection left open or ended. */
export interface WireAnswer {
  readonly text:
    string | readonly [status: number, headers: readonly string[], body: string, hasLength: boolean];
  /** The position at which it is cut in two, 0 to 1. */
  readonly cut: number;
  readonly end: 'end' | 'destroy' | 'leave';
}

const header = fc.oneof(
  fc.constantFrom(
    'transfer-encoding: chunked',
    'connection: close',
    'connection: upgrade',
    'upgrade: websocket',
    'content-encoding: gzip',
    'content-encoding: x',
    'retry-after: 0',
    'retry-after: x',
    'location: /elsewhere',
    'keep-alive: timeout=0',
    'keep-alive: timeout=99999999999',
    'content-length: 0',
    'content-length: 5',
    'content-length: 99999999',
    'content-length: -1',
  ),
  fc.string({ maxLength: 30 }),
);

const status = fc.oneof(
  fc.constantFrom(100, 101, 102, 103, 200, 201, 204, 301, 304, 400, 401, 404, 422, 429, 500, 503, 599, 999),
  fc.nat(1100),
);

/** @param documents valid documents of the platform, as JSON */
export function wireAnswer(...documents: readonly string[]): fc.Arbitrary<WireAnswer> {
  const body = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.constantFrom(...documents),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.json().map((text) => `{"data":${text},"meta":${text},"errors":[${text}]}`),
  );
  return fc.record({
    text: fc.oneof(
      { weight: 6, arbitrary: fc.tuple(status, fc.array(header, { maxLength: 4 }), body, fc.boolean()) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 100 }) },
    ),
    cut: fc.double({ min: 0, max: 1, noNaN: true }),
    end: fc.constantFrom('end', 'destroy', 'leave'),
  });
}

/** Writes it to a connection directly, bypassing the HTTP server. */
export function writeAnswer({ text, cut, end }: WireAnswer, socket: Socket): void {
  const bytes = Buffer.from(wireText(text));
  const at = Math.floor(bytes.length * cut);
  socket.write(bytes.subarray(0, at));
  setImmediate(() => {
    socket.write(bytes.subarray(at));
    if (end === 'end') socket.end();
    if (end === 'destroy') socket.destroy();
  });
}

function wireText(text: WireAnswer['text']): string {
  if (typeof text === 'string') return text;
  const [code, headers, body, hasLength] = text;
  const all = hasLength ? [...headers, `content-length: ${Buffer.byteLength(body)}`] : headers;
  return `HTTP/1.1 ${code} X\r\n${all.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
}
