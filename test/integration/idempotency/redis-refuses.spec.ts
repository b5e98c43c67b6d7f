import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { PrivateRedis } from '../../support/private-redis.ts';
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

describe('A Redis that does not know a command of the handshake', () => {
  it('repeats its arguments, but the reason does not', async () => {
    const answer = "-ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'canary-7d1a'\r\n";
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
    expect(store.state).toMatchObject({ reason: "ERR unknown command 'HELLO'" });
    server.close();
  });
});
