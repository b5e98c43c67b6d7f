import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

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

describe('A Redis that refuses every connection', () => {
  it('is told by its own words if it is in protected mode', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(`${DENIED}\r\n`, () => socket.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await reasonsOf(`redis://127.0.0.1:${port}`)).toEqual([DENIED.slice(1), DENIED.slice(1)]);
    server.close();
  });

  it('is still told by its own words when it cuts each connection that writes', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      // Only who waits reads why.
      socket.on('data', () => socket.resetAndDestroy());
      setTimeout(() => socket.end(`${DENIED}\r\n`), 50).unref();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await using refused = new Workers(`redis://127.0.0.1:${port}`);
    const store = refused.start();
    await isAway(store);
    const reasons = new Set<string>();
    for (let n = 0; n < 40; n += 1) {
      await sleep(50);
      if (store.state.kind === 'away') reasons.add(store.state.reason);
    }
    expect([...reasons]).toEqual([DENIED.slice(1)]);
    server.close();
  });

  it('is told by its own words if it has too many clients', async () => {
    const holder = await workers.join();
    await redis.run((client) => client.config('SET', 'maxclients', 1));
    const words = 'ERR max number of clients reached';
    expect(await reasonsOf(redis.url)).toEqual([words, words]);
    expect(holder.state.kind).toBe('available');
  });

  it('is told by its own words if it wants a password', async () => {
    await redis.run((client) => client.config('SET', 'requirepass', 'a password'));
    const words = 'NOAUTH Authentication required.';
    expect(await reasonsOf(redis.url)).toEqual([words, words]);
  });

  it('is told by its own words if an account may not run what workers run', async () => {
    await redis.run((client) =>
      client.call('ACL', 'SETUSER', 'w', 'on', '>pw', '~*', '+@all', '-@scripting'),
    );
    const words = expect.stringMatching(/^NOPERM .*'eval' command/);
    expect(await reasonsOf(redis.url.replace('//', '//w:pw@'))).toEqual([words, words]);
  });
});

describe('A Redis that does not know a command of the handshake', () => {
  it('repeats its arguments, but the reason does not', async () => {
    const answer = "-ERR unknown command 'AUTH', with args beginning with: 'canary-7d1a'\r\n";
    const server = createServer((socket) => {
      socket.on('data', (text) => socket.write(answer.repeat(String(text).match(/^\*/gm)?.length ?? 0)));
      socket.on('error', () => undefined);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await using confused = new Workers(`redis://:canary-7d1a@127.0.0.1:${port}`);
    const store = confused.start();
    await isAway(store);
    expect(store.state).toMatchObject({ reason: "ERR unknown command 'AUTH'" });
    server.close();
  });
});
