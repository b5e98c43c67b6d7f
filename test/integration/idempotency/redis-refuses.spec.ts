import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';

import { inspectRedis } from '#messaging/client';
import { TlsContext } from '#tls';

import { PrivateRedis } from '../../../scripts/private-redis.ts';
import { isAway, isBack, Workers } from './workers.ts';

let redis: PrivateRedis;
let workers: Workers;

beforeEach(async () => {
  redis = await PrivateRedis.start();
  workers = new Workers(redis.url);
});

afterEach(async () => {
  await workers[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

describe('A worker whose Redis refuses writes', () => {
  it('counts it as away, and uses it again when it accepts them', async () => {
    const one = await workers.join();
    await redis.run((client) => client.replicaof('127.0.0.1', 1));
    await one.claim(randomUUID(), 'f');
    expect(one.state).toMatchObject({ kind: 'away', reason: expect.stringMatching(/^READONLY/) });
    const states: string[] = [];
    const two = workers.start(({ kind }) => states.push(kind));
    await isAway(two);
    await redis.run((client) => client.replicaof('no', 'one'));
    await Promise.all([isBack(one), isBack(two)]);
    expect(states).toEqual(['away', 'available']);
  });

  it('never repeats a password in the reason', async () => {
    const password = 'canary-5e2b';
    await redis.run((client) => client.config('SET', 'requirepass', 'another one'));
    await using locked = new Workers(redis.url.replace('//', `//:${password}@`));
    const store = locked.start();
    await isAway(store);
    await store.claim(randomUUID(), 'f');
    expect(JSON.stringify(store.state)).toMatch(/WRONGPASS/);
    expect(JSON.stringify(store.state)).not.toContain(password);
  });
});

/** The beginning of what Redis says in protected mode to a client that is not on its machine. */
const DENIED =
  '-DENIED Redis is running in protected mode because protected mode is enabled and no password is set';

/** Why Redis is away, by a worker and by `doctor`. */
async function reasonsOf(url: string): Promise<unknown[]> {
  await using refused = new Workers(url);
  const store = refused.start();
  await isAway(store);
  const inspection = await inspectRedis(url, new TlsContext('REDIS'));
  return [store.state, inspection].map((found) => found.kind === 'away' && found.reason);
}

/** A server that is no Redis. @returns its URL */
async function impostor(serve: (socket: Socket) => void): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => void server.close();
  return { url: `redis://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}

describe('The reason why a Redis that refuses every connection is away', () => {
  it('is in its own words if it is in protected mode', async () => {
    await using denying = await impostor((socket) => {
      socket.write(`${DENIED}\r\n`, () => socket.destroy());
    });
    expect(await reasonsOf(denying.url)).toEqual([DENIED.slice(1), DENIED.slice(1)]);
  });

  it.each<[string, (client: Redis) => Promise<unknown>, string, unknown]>([
    [
      'has too many clients',
      (client) => client.config('SET', 'maxclients', 1),
      '//',
      'ERR max number of clients reached',
    ],
    [
      'wants a password',
      (client) => client.config('SET', 'requirepass', 'a password'),
      '//',
      'NOAUTH Authentication required.',
    ],
    [
      'forbids an account what workers run',
      (client) => client.call('ACL', 'SETUSER', 'w', 'on', '>pw', '~*', '+@all', '-@scripting'),
      '//w:pw@',
      expect.stringMatching(/^NOPERM .*'eval' command/),
    ],
  ])('is in its own words if it %s', async (_, refuse, credentials, words) => {
    const holder = await workers.join();
    await redis.run(refuse);
    expect(await reasonsOf(redis.url.replace('//', credentials))).toEqual([words, words]);
    expect(holder.state.kind).toBe('available');
  });

  it('does not repeat the arguments of a command of the handshake that it does not know', async () => {
    const answer = "-ERR unknown command 'AUTH', with args beginning with: 'canary-7d1a'\r\n";
    await using confused = await impostor((socket) => {
      socket.on('data', (text) => socket.write(answer.repeat(String(text).match(/^\*/gm)?.length ?? 0)));
    });
    await using refused = new Workers(confused.url.replace('//', '//:canary-7d1a@'));
    const store = refused.start();
    await isAway(store);
    expect(store.state).toMatchObject({ reason: "ERR unknown command 'AUTH'" });
  });
});
