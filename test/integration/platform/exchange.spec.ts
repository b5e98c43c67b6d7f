import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Connections } from '../../../libs/platform/src/transport/connections.ts';
import { dispatchExchange } from '../../../libs/platform/src/transport/dispatch-exchange.ts';
import type { ExchangeEnd } from '../../../libs/platform/src/transport/exchange.ts';
import { startPlatform } from './client.fixture.ts';
import {
  answers,
  type Behaviour,
  drips,
  type LocalPlatform,
  neverAnswers,
  resets,
  truncates,
} from './local-platform.ts';
import { requestExchange } from './request-exchange.fixture.ts';

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
