import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { CommandError } from '#contracts';

import { Connections } from '../../../libs/platform/src/transport/connections.ts';
import { exchange, type ExchangeEnd } from '../../../libs/platform/src/transport/exchange.ts';
import { wireAnswer, writeAnswer } from '../../support/fuzz/wire-answer.ts';
import { buildClient, CALLS, callWithin, OPERATIONS, startPlatform } from './client.fixture.ts';
import { AD_HOC_REPORT, SESSION } from './documents.ts';
import { answers, type Behaviour, drips, type LocalPlatform, truncates } from './local-platform.ts';

describe('exchange', () => {
  const LONG_MS = 60_000;
  const SHORT_MS = 600;

  let platform: LocalPlatform;
  let connections: Connections;

  beforeEach(async () => {
    platform = await startPlatform();
    connections = new Connections(platform.origin, LONG_MS);
  });

  afterEach(() => connections.close());

  function send(timeoutMs = LONG_MS, maxAnswerBytes = 1000): Promise<ExchangeEnd> {
    const request = { origin: connections.route.origin, path: '/', method: 'POST', body: 'a=b' } as const;
    return exchange(connections, request, { timeoutMs, maxAnswerBytes });
  }

  it('ignores an informational response before the answer', async () => {
    platform.always((_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(204).end();
    });
    expect(await send()).toMatchObject({ kind: 'answer', answer: { status: 204, body: Buffer.alloc(0) } });
  });

  it.each<[string, Behaviour, number, string, number]>([
    ['a success that is too large', answers(200, 'x'.repeat(1001)), 200, 'too-large', LONG_MS],
    ['an error that is too large', answers(500, 'x'.repeat(70_000)), 500, 'too-large', LONG_MS],
    ['an error that breaks off', truncates(422, { errors: [] }), 422, 'incomplete', LONG_MS],
    ['an error that drips', drips(404, { errors: ['x'.repeat(10_000)] }), 404, 'incomplete', SHORT_MS],
  ])(
    'ends with the status of %s, and discards its connection',
    async (_case, behaviour, status, body, ms) => {
      platform.always(behaviour);
      expect(await send(ms)).toMatchObject({ kind: 'answer', answer: { status, body } });
      platform.always(answers(200));
      expect(await send()).toMatchObject({ kind: 'answer' });
      expect(platform.connections).toBe(2);
    },
  );
});

describe('hostile answers', () => {
  /** Long after the deadline of a call, which is a second. */
  const LONG_PAST_MS = 10_000;

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

  const hostileAnswer = wireAnswer(JSON.stringify(SESSION), JSON.stringify(AD_HOC_REPORT));

  it('every answer, however hostile, ends its call with a result or one CommandError', async () => {
    const { port } = server.address() as { port: number };
    const { client } = buildClient(`http://127.0.0.1:${port}`, {
      limits: { attemptTimeoutMs: 40, maxAttempts: 2 },
    });
    await fc.assert(
      fc.asyncProperty(hostileAnswer, fc.constantFrom(...OPERATIONS), async (hostile, operation) => {
        answer = (socket) => writeAnswer(hostile, socket);
        const call = CALLS[operation](client, callWithin(1_000)).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        const error = await Promise.race([
          call,
          sleep(LONG_PAST_MS, 'the call has not ended', { ref: false }),
        ]);
        if (error !== undefined) expect(error).toBeInstanceOf(CommandError);
      }),
      { numRuns: 200 },
    );
    expect(strays).toEqual([]);
  });
});
