import { createServer } from 'node:net';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { until } from '../../support/until.ts';
import { buildClient, callWithin, CALLS, failureOf, startPlatform } from './client.fixture.ts';
import { SESSION } from './documents.ts';
import { answers, type LocalPlatform, neverAnswers, resets } from './local-platform.ts';

let platform: LocalPlatform;

beforeEach(async () => {
  platform = await startPlatform();
});

const LESS_THAN_A_CALL_MS = 30_000;
/** Idle connections are kept for four seconds. */
const LESS_THAN_IDLE_MS = 3_500;

const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

/** Sockets and timers of this process; Jest has a few of its own, which come and go. */
function held(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap' || name === 'Timeout')
    .length;
}

/** A leak of a call would stay for its ten minutes; Jest's own handles disappear after some time. */
async function expectNoMoreThan(before: number): Promise<void> {
  await until(`no more than ${before} are held`, () => held() <= before, LESS_THAN_A_CALL_MS);
}

describe('after close', () => {
  it('nothing is left of calls that are in flight, waiting or pausing, and each is settled', async () => {
    platform.next(answers(429, '', { 'retry-after': '20' })).always(neverAnswers);
    const before = held();
    const { client } = buildClient(platform.origin, { limits: { connections: 2 } });
    const pausing = failureOf(CALLS['session.create'](client, callWithin()));
    await settled();
    const others = Array.from({ length: 5 }, () => failureOf(CALLS['session.create'](client, callWithin())));
    await until('two are in flight', () => platform.received.length === 3);
    await client.close();
    const codes = (await Promise.all([pausing, ...others])).map(({ code }) => code);
    expect(codes).toEqual([
      'RATE_LIMITED',
      'OUTCOME_UNKNOWN',
      'OUTCOME_UNKNOWN',
      'PLATFORM_UNAVAILABLE',
      'PLATFORM_UNAVAILABLE',
      'PLATFORM_UNAVAILABLE',
    ]);
    await until('no connection is open', () => platform.openSockets === 0);
    await expectNoMoreThan(before);
  });

  it('nothing is left of a connection that is being opened', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const before = held();
    const { client } = buildClient(`https://127.0.0.1:${port}`);
    const call = failureOf(CALLS['session.create'](client, callWithin()));
    await settled();
    await client.close();
    expect((await call).code).toBe('PLATFORM_UNAVAILABLE');
    await settled();
    await expectNoMoreThan(before);
    await new Promise((resolve) => silent.close(resolve));
  });

  it('a call fails at once, and no connection is made', async () => {
    const { client } = buildClient(platform.origin);
    await client.close();
    const error = await failureOf(CALLS['session.create'](client, callWithin()));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'closed' } });
    expect(platform.connections).toBe(0);
  });
});

describe('a client that stays open', () => {
  it('leaves no timer after a call, however it ended', async () => {
    const { client } = buildClient(platform.origin);
    await CALLS['session.create'](client, callWithin()).catch(() => undefined);
    const before = held();
    platform.next(answers(200, SESSION), answers(422), resets, answers(200, SESSION), answers(503));
    platform.always(answers(200, SESSION));
    for (let i = 0; i < 5; i += 1) await CALLS['session.create'](client, callWithin()).catch(() => undefined);
    await expectNoMoreThan(before);
  });

  it('closes unused connections, and forgets them', async () => {
    platform.always(answers(200, SESSION, { 'keep-alive': 'timeout=2' }));
    const { client } = buildClient(platform.origin);
    await Promise.all(Array.from({ length: 8 }, () => CALLS['session.create'](client, callWithin())));
    // The server keeps a connection for as long as the client's margin: it is not used again, for any time.
    await until('all are closed', () => platform.openSockets === 0, LESS_THAN_IDLE_MS);
    await CALLS['session.create'](client, callWithin());
  });
});

it('offers HTTP/1.1 alone to a server that could do more', async () => {
  const hellos: Buffer[] = [];
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', (hello) => {
        hellos.push(hello);
        socket.destroy();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const { client } = buildClient(`https://localhost:${port}`, { limits: { maxAttempts: 1 } });
  await failureOf(CALLS['session.create'](client, callWithin()));
  expect(hellos[0]?.includes('\x08http/1.1')).toBe(true);
  expect(hellos[0]?.includes('\x02h2')).toBe(false);
  await new Promise((resolve) => server.close(resolve));
});

it('retries do not multiply the load on a platform that is down', async () => {
  platform.always(answers(503));
  const { client, observer } = buildClient(platform.origin, {
    limits: { connections: 64, queue: 1000 },
    // The budget refills with time: the clock is stopped.
    clock: () => 0,
  });
  await Promise.all(
    Array.from({ length: 300 }, () => failureOf(CALLS['session.create'](client, callWithin()))),
  );
  expect(platform.received.length).toBe(300 + observer.retries);
  expect(observer.retries).toBe(100);
});
