import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { RedisIdempotencyStore, RedisState } from '#messaging';

import { until } from '../../support/until.ts';
import { PrivateRedis } from '../../support/private-redis.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { isAway, isBack, PREFIX, success, Workers } from './workers.ts';

/** What waits for nothing has ended by then; whatever asks the network has not. */
const TURNS_AT_ONCE = 5;
/** Less than a second wait would take. */
const TOGETHER_MS = 200;

let redis: PrivateRedis;
let workers: Workers;

beforeEach(async () => {
  redis = await PrivateRedis.start();
  workers = new Workers(redis.url);
});

afterEach(async () => {
  redis.thaw();
  await workers[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

async function mine(store: RedisIdempotencyStore, id: string) {
  const claim = await store.claim(id, 'f');
  if (claim.kind !== 'mine') throw new Error(`expected a claim, found: ${claim.kind}`);
  return claim;
}

/**
 * Whether something ends before the event loop has turned a few times, however long those turns take.
 *
 * @param afterMs by a timer of this process, which a busy machine holds up as much as it holds up those of a claim
 */
async function endsAtOnce(work: Promise<unknown>, afterMs = 0): Promise<boolean> {
  let hasEnded = false;
  void work.then(() => (hasEnded = true));
  if (afterMs > 0) await sleep(afterMs);
  for (let turn = 0; turn < TURNS_AT_ONCE; turn += 1) await new Promise(setImmediate);
  const isAtOnce = hasEnded;
  await work;
  return isAtOnce;
}

/** Whether many claims wait, together and not one after the other. */
async function waitsOnce(store: RedisIdempotencyStore): Promise<boolean> {
  const claims = Array.from({ length: 50 }, () => mine(store, randomUUID()));
  const isFirstAtOnce = await endsAtOnce(Promise.race(claims));
  return !isFirstAtOnce && (await endsAtOnce(Promise.all(claims), TOGETHER_MS));
}

const manyClaims = (store: RedisIdempotencyStore) =>
  Promise.all(Array.from({ length: 50 }, () => mine(store, randomUUID())));

describe('A worker whose Redis is killed', () => {
  it('goes on with its own memory, and tells Redis what it missed when it is back', async () => {
    const states: RedisState[] = [];
    const one = await workers.join((state) => states.push(state));
    const [taken, decided, mineAlone] = [randomUUID(), randomUUID(), randomUUID()];
    await mine(one, taken);
    const settledWithout = await mine(one, decided);
    await redis.kill();
    await isAway(one);

    expect(await endsAtOnce(Promise.resolve(settledWithout.settle(success('s-1'))))).toBe(true);
    expect(await one.claim(decided, 'f')).toMatchObject({ kind: 'decided' });
    const alone = await mine(one, mineAlone);
    expect(await one.claim(mineAlone, 'f')).toMatchObject({ kind: 'under way' });
    expect(await endsAtOnce(manyClaims(one))).toBe(true);

    await redis.restart();
    await isBack(one);
    const two = await workers.join();
    await until('what was taken is known', async () => (await two.claim(taken, 'f')).kind === 'under way');
    expect(await two.claim(mineAlone, 'f')).toMatchObject({ kind: 'under way' });
    expect(await two.claim(decided, 'f')).toEqual({ kind: 'decided', reply: success('s-1') });
    await alone.settle(success('s-2'));
    expect(states.map(({ kind }) => kind)).toEqual(['available', 'away', 'available']);
    expect(states[1]).toMatchObject({ reason: expect.stringMatching(/ECONN|closed|lost/) });
  });
});

describe('A worker whose Redis does not answer', () => {
  it('waits for it once, then not at all, and is back when Redis is', async () => {
    const one = await workers.join();
    const held = await mine(one, randomUUID());
    redis.freeze();
    expect(await waitsOnce(one)).toBe(true);
    expect(one.state).toMatchObject({ kind: 'away', reason: 'No answer within 250 ms' });
    expect(await endsAtOnce(manyClaims(one))).toBe(true);
    expect(await endsAtOnce(Promise.resolve(held.settle(success('s-1'))))).toBe(true);
    // Past the pause and into the next connection, which is not answered either.
    await until(
      'the connection is made anew',
      () => one.state.kind === 'away' && Date.now() - one.state.sinceMs > 1_500,
    );
    expect(await endsAtOnce(manyClaims(one))).toBe(true);
    redis.thaw();
    await isBack(one);
  });

  it('does not wait longer for the first connection, and closes at once', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const store = new Workers(`redis://127.0.0.1:${port}`).start();
    expect(await waitsOnce(store)).toBe(true);
    expect(await endsAtOnce(manyClaims(store))).toBe(true);
    expect(store.state).toMatchObject({ kind: 'away' });
    expect(await endsAtOnce(store.close())).toBe(true);
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});

describe('A worker that is held up itself', () => {
  it('does not blame Redis', async () => {
    const states: string[] = [];
    const one = await workers.join(({ kind }) => states.push(kind));
    // From here, the event loop comes to its timers before it reads what has arrived.
    await new Promise(setImmediate);
    const claim = one.claim(randomUUID(), 'f');
    // Long enough for Redis to answer on a busy machine.
    for (const untilMs = performance.now() + 700; performance.now() < untilMs;);
    expect((await claim).kind).toBe('mine');
    expect(states).toEqual(['available']);
  });
});

describe('A worker whose Redis cannot even be reached', () => {
  it('does not wait longer for it', async () => {
    await using full = await PrivateRedis.start();
    full.freeze();
    // More than its backlog takes: the next connection is not even answered by the kernel.
    const sockets = Array.from({ length: 600 }, () =>
      connect(full.port, '127.0.0.1').on('error', () => undefined),
    );
    await until('the backlog is full', async () => {
      const connecting = sockets.filter((socket) => socket.connecting).length;
      await sleep(100);
      return connecting > 0 && connecting === sockets.filter((socket) => socket.connecting).length;
    });
    await using unreached = new Workers(full.url);
    const store = unreached.start();
    expect(await waitsOnce(store)).toBe(true);
    expect(store.state).toMatchObject({ kind: 'away', reason: 'No connection yet' });
    for (const socket of sockets) socket.destroy();
  });
});

describe('A worker that just starts', () => {
  it('asks Redis for its first command, too', async () => {
    const two = await workers.join();
    const id = randomUUID();
    await (await mine(two, id)).settle(success('s-1'));
    expect(await workers.start().claim(id, 'f')).toMatchObject({ kind: 'decided' });
  });
});

describe('A worker whose Redis takes no writes', () => {
  it('counts it as away, and is back when it takes them', async () => {
    const one = await workers.join();
    await redis.run((client) => client.replicaof('127.0.0.1', 1));
    await mine(one, randomUUID());
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
    await mine(store, randomUUID());
    expect(JSON.stringify(store.state)).toMatch(/WRONGPASS/);
    expect(JSON.stringify(store.state)).not.toContain(password);
  });
});

describe('A worker that stops', () => {
  it('says goodbye and leaves nothing open', async () => {
    const clients = () => redis.run((client) => client.client('LIST')) as Promise<string>;
    await using line = await TcpProxy.start(redis.url);
    await using stopping = new Workers(line.through(redis.url));
    const store = await stopping.join();
    await mine(store, randomUUID());
    expect(await clients()).toContain('name=poker-bridge');
    expect(line.connections).toBe(1);
    await store.close();
    await until('Redis sees it go', async () => !(await clients()).includes('name=poker-bridge'));
    await until('no connection is left', () => line.connections === 0);
    expect(line.accepted).toBe(1);
  });

  it('does not wait for a Redis that does not answer', async () => {
    const store = await workers.join();
    redis.freeze();
    await store.close();
  });
});

describe('A claim taken without Redis', () => {
  it('leaves alone what another worker holds by then', async () => {
    const one = await workers.join();
    const id = randomUUID();
    redis.freeze();
    const late = await mine(one, id);
    redis.thaw();
    await redis.run((client) => client.flushall());
    const key = `${PREFIX}:identity:${hash('sha256', id)}`;
    await redis.run((client) => client.hset(key, { state: 'under way', owner: 'another', fingerprint: 'f' }));
    await isBack(one);
    await late.settle(success('s-1'));
    expect(await redis.run((client) => client.hgetall(key))).toEqual({
      state: 'under way',
      owner: 'another',
      fingerprint: 'f',
    });
  });
});
