import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { silent } from '../../support/platform-answers.ts';
import { until } from '../../support/until.ts';
import { buildClient, codeOf, createSession, failureOf, listen, operatorAt, platform } from './client.ts';
import { SESSION } from './documents.ts';
import { answers, resets } from './local-platform.ts';

const LESS_THAN_A_CALL_MS = 30_000;

/** Returns the sockets and timers of this process. A few belong to Jest and change over time. */
function held(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap' || name === 'Timeout')
    .length;
}

/**
 * Waits until no new resource is left. A leaked one would stay for ten minutes; Jest's own ones disappear.
 */
async function expectNoMoreThan(before: number): Promise<void> {
  await until(`no more than ${before} are held`, () => held() <= before, LESS_THAN_A_CALL_MS);
}

describe('after close', () => {
  it('calls in flight to a previous URL, waiting or between attempts have ended and leave nothing behind', async () => {
    platform.next(answers(429, '', { 'retry-after': '29' })).always(silent);
    const before = held();
    const { client, observer } = buildClient({ limits: { connections: 2 } });
    const pausing = codeOf(createSession(client));
    await until('it pauses', () => observer.retries === 1);
    const others = Array.from({ length: 4 }, () => codeOf(createSession(client)));
    await until('two calls are in flight', () => platform.requests.length === 3);
    client.use(operatorAt('http://127.0.0.1:1'));
    await client.close();
    const ended = Promise.all([pausing, ...others]);
    expect(await Promise.race([ended, sleep(10_000, 'it still pauses', { ref: false })])).toEqual([
      'RATE_LIMITED',
      'OUTCOME_UNKNOWN',
      'OUTCOME_UNKNOWN',
      'PLATFORM_UNAVAILABLE',
      'PLATFORM_UNAVAILABLE',
    ]);
    await until('no connection is open', () => platform.openSockets === 0);
    await expectNoMoreThan(before);
  });

  it('a connection attempt in progress leaves nothing behind', async () => {
    const connected = Promise.withResolvers<void>();
    const origin = await listen((socket) => void socket.once('data', () => connected.resolve()));
    const { client } = buildClient({ origin });
    const before = held();
    const call = codeOf(createSession(client));
    await connected.promise;
    await client.close();
    expect(await call).toBe('PLATFORM_UNAVAILABLE');
    await expectNoMoreThan(before);
  });
});

it('an open client leaves no timer behind after a call, regardless of its outcome', async () => {
  const { client } = buildClient();
  await codeOf(createSession(client));
  const before = held();
  platform.next(answers(200, SESSION), answers(422), resets, answers(200, SESSION), answers(503));
  platform.always(answers(200, SESSION));
  for (let i = 0; i < 5; i += 1) await codeOf(createSession(client));
  await expectNoMoreThan(before);
});

it('a client offers only HTTP/1.1 to a server that supports more', async () => {
  const hellos: Buffer[] = [];
  const origin = await listen((socket) =>
    socket.once('data', (hello: Buffer) => {
      hellos.push(hello);
      socket.destroy();
    }),
  );
  await failureOf(createSession(buildClient({ origin, limits: { maxAttempts: 1 } }).client));
  expect(hellos[0]?.includes('\x08http/1.1')).toBe(true);
  expect(hellos[0]?.includes('\x02h2')).toBe(false);
});

it('retries do not multiply the load on a platform that is down', async () => {
  platform.always(answers(503));
  const { client, observer } = buildClient({
    limits: { connections: 64, queue: 1000 },
    // The clock stands still, because the budget refills over time.
    clock: () => 0,
  });
  await Promise.all(Array.from({ length: 300 }, () => failureOf(createSession(client))));
  expect([observer.retries, platform.requests.length]).toEqual([100, 400]);
});
