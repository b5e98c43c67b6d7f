import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Dispatcher } from 'undici';

import { CommandError } from '#contracts';

import type { Answer } from '../../../libs/platform/src/transport/answer.ts';
import { Connections } from '../../../libs/platform/src/transport/connections.ts';
import { dispatchExchange } from '../../../libs/platform/src/transport/dispatch-exchange.ts';
import type { Exchange, ExchangeEnd } from '../../../libs/platform/src/transport/exchange.ts';
import { type Phase, wasSent } from '../../../libs/platform/src/transport/phase.ts';
import { transportFault } from '../../../libs/platform/src/transport/transport-fault.ts';
import { wireAnswer, writeAnswer } from '../../support/fuzz/wire-answer.ts';
import { buildClient, CALLS, callWithin, OPERATIONS, startPlatform } from './client.fixture.ts';
import { AD_HOC_REPORT, SESSION } from './documents.ts';
import {
  answers,
  type Behaviour,
  drips,
  type LocalPlatform,
  neverAnswers,
  resets,
  truncates,
} from './local-platform.ts';

const MAX_ERROR_BYTES = 64 * 1024;

/** The plain form of the exchange: undici's `request()`, with an interceptor that notices when the request is sent. */
const requestExchange: Exchange = (connections, request, limits, onEnd) => {
  const connection = connections.acquire();
  let phase: Phase = 'unsent';
  let hasTimedOut = false;
  let head: Omit<Answer, 'body'> | undefined;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    connections.discard(connection);
  }, limits.timeoutMs);
  const client = connection.client.compose(noticesSending(() => (phase = 'sent')));
  const exchange = async (): Promise<ExchangeEnd> => {
    try {
      const response = await client.request(request);
      phase = 'answering';
      head = headOf(response);
      const body = await readUpTo(head.status < 300 ? limits.maxAnswerBytes : MAX_ERROR_BYTES, response.body);
      return { kind: 'answer', answer: { ...head, body } };
    } catch (error) {
      if (head && head.status >= 300) return { kind: 'answer', answer: { ...head, body: 'incomplete' } };
      const fault = hasTimedOut ? 'timeout' : transportFault(error as Error, phase);
      return { kind: wasSent(phase) ? 'lost' : 'not-sent', fault };
    }
  };
  const run = async (): Promise<void> => {
    const end = await exchange();
    clearTimeout(timer);
    const isComplete = end.kind === 'answer' && Buffer.isBuffer(end.answer.body);
    if (isComplete) connections.release(connection);
    else connections.discard(connection);
    onEnd(end);
  };
  void run();
};

/** An interceptor that passes everything on, and calls `onSent` when the request is sent. */
function noticesSending(onSent: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(...start) {
        onSent();
        handler.onRequestStart?.(...start);
      },
      onResponseStart: (...start) => handler.onResponseStart?.(...start),
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...error) => handler.onResponseError?.(...error),
    });
}

function headOf({ statusCode, headers }: Dispatcher.ResponseData): Omit<Answer, 'body'> {
  const first = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);
  return {
    status: statusCode,
    retryAfter: first(headers['retry-after']),
    contentEncoding: first(headers['content-encoding']),
  };
}

async function readUpTo(maxBytes: number, body: AsyncIterable<Buffer>): Promise<Answer['body']> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) return 'too-large';
  }
  return Buffer.concat(chunks);
}

describe('exchange', () => {
  const LONG_MS = 60_000;
  const SHORT_MS = 600;

  describe.each([
    ['dispatch()', dispatchExchange],
    ['request(), the plain form', requestExchange],
  ])('an exchange by %s', (_name, exchange) => {
    let platform: LocalPlatform;
    let connections: Connections;

    beforeEach(async () => {
      platform = await startPlatform();
      connections = new Connections(platform.origin, LONG_MS);
    });

    afterEach(() => connections.close());

    function send(timeoutMs = LONG_MS, maxAnswerBytes = 1000): Promise<ExchangeEnd> {
      const request = { origin: connections.route.origin, path: '/', method: 'POST', body: 'a=b' } as const;
      return new Promise((resolve) => exchange(connections, request, { timeoutMs, maxAnswerBytes }, resolve));
    }

    it('ends with the answer, and releases its connection', async () => {
      platform.always(answers(200, 'text', { 'retry-after': '3', 'content-encoding': 'x-none' }));
      const answer = { status: 200, retryAfter: '3', contentEncoding: 'x-none', body: Buffer.from('text') };
      expect(await send()).toEqual({ kind: 'answer', answer });
      expect(await send()).toEqual({ kind: 'answer', answer });
      expect([platform.received.map(({ body }) => body), platform.connections]).toEqual([['a=b', 'a=b'], 1]);
    });

    it('ignores an informational response before the answer', async () => {
      platform.always(({ response }) => {
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

    it.each<[string, Behaviour, string, number]>([
      ['a connection that ends', resets, 'reset', LONG_MS],
      ['a success that breaks off', truncates(200, { data: [] }), 'truncated', LONG_MS],
      ['an answer that does not come', neverAnswers, 'timeout', SHORT_MS],
      ['an answer that is not HTTP', ({ socket }) => void socket.end('220 mail\r\n'), 'malformed', LONG_MS],
    ])('is lost by %s, and discards its connection', async (_case, behaviour, fault, ms) => {
      platform.always(behaviour);
      expect(await send(ms)).toEqual({ kind: 'lost', fault });
      platform.always(answers(200));
      expect(await send()).toMatchObject({ kind: 'answer' });
      expect(platform.connections).toBe(2);
    });

    it('is not sent if the connection is refused', async () => {
      await platform.close();
      expect(await send()).toEqual({ kind: 'not-sent', fault: 'refused' });
    });

    it('ends when its connections are closed', async () => {
      platform.always(neverAnswers);
      const end = send();
      await Promise.all([end, connections.close()]);
      expect(await end).toMatchObject({ fault: 'closed' });
    });
  });
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
