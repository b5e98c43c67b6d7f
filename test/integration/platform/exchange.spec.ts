import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { Connections } from '../../../libs/platform/src/transport/connections.ts';
import { exchange, type ExchangeEnd } from '../../../libs/platform/src/transport/exchange.ts';
import { platform } from './client.fixture.ts';
import { answers, type Behaviour, drips, truncates } from './local-platform.ts';

const LONG_MS = 60_000;
const SHORT_MS = 600;

let connections: Connections;

beforeEach(() => void (connections = new Connections(platform.origin, LONG_MS)));
afterEach(() => connections.close());

function send(timeoutMs = LONG_MS): Promise<ExchangeEnd> {
  const request = { origin: connections.route.origin, path: '/', method: 'POST', body: 'a=b' } as const;
  return exchange(connections, request, { timeoutMs, maxAnswerBytes: 1000 });
}

it('an informational response before the answer is ignored', async () => {
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
  'the status of %s is known, and its connection is discarded',
  async (_case, behaviour, status, body, ms) => {
    platform.always(behaviour);
    expect(await send(ms)).toMatchObject({ kind: 'answer', answer: { status, body } });
    platform.always(answers(200));
    expect(await send()).toMatchObject({ kind: 'answer' });
    expect(platform.connections).toBe(2);
  },
);
