import { createServer, type Server, type Socket } from 'node:net';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { CommandError } from '#contracts';
import { OPERATIONS } from '#platform';

import { buildClient, callWithin, CALLS } from './client.fixture.ts';
import { AD_HOC_REPORT, SESSION } from './documents.ts';

let server: Server;
let answer: (socket: Socket) => void = () => undefined;
const sockets = new Set<Socket>();
const strays: unknown[] = [];
const onStray = (reason: unknown) => void strays.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', onStray);
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  process.off('unhandledRejection', onStray);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const document = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.constantFrom(JSON.stringify(SESSION), JSON.stringify(AD_HOC_REPORT)),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.json().map((text) => `{"data":${text},"meta":${text},"errors":[${text}]}`),
);

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

/** An answer of HTTP, or nearly, or not at all; in one piece or two; the connection left open or ended. */
const hostileAnswer = fc.record({
  text: fc.oneof(
    { weight: 6, arbitrary: fc.tuple(status, fc.array(header, { maxLength: 4 }), document, fc.boolean()) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 100 }) },
  ),
  cut: fc.double({ min: 0, max: 1, noNaN: true }),
  end: fc.constantFrom('end', 'destroy', 'leave'),
});

function wireText(text: string | [number, string[], string, boolean]): string {
  if (typeof text === 'string') return text;
  const [code, headers, body, hasLength] = text;
  const all = hasLength ? [...headers, `content-length: ${Buffer.byteLength(body)}`] : headers;
  return `HTTP/1.1 ${code} X\r\n${all.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
}

it('every answer, however hostile, ends its call in time with a result or one CommandError', async () => {
  const { port } = server.address() as { port: number };
  const { client } = buildClient(`http://127.0.0.1:${port}`, {
    limits: { attemptTimeoutMs: 40, maxAttempts: 2 },
  });
  await fc.assert(
    fc.asyncProperty(hostileAnswer, fc.constantFrom(...OPERATIONS), async ({ text, cut, end }, operation) => {
      const bytes = Buffer.from(wireText(text));
      const at = Math.floor(bytes.length * cut);
      answer = (socket) => {
        socket.write(bytes.subarray(0, at));
        setImmediate(() => {
          socket.write(bytes.subarray(at));
          if (end === 'end') socket.end();
          if (end === 'destroy') socket.destroy();
        });
      };
      const startedAtMs = performance.now();
      const error: unknown = await CALLS[operation](client, callWithin(1000)).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(performance.now() - startedAtMs).toBeLessThan(2000);
      if (error !== undefined) expect(error).toBeInstanceOf(CommandError);
    }),
    { numRuns: 200 },
  );
  expect(strays).toEqual([]);
});
