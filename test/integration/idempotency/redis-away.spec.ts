import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { RedisIdempotencyStore, RedisState } from '#messaging';

import { until } from '../../support/until.ts';
import { PrivateRedis } from '../../../scripts/private-redis.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { endsAtOnce } from './ends-at-once.ts';
import { claimOf, isAway, isBack, keyOf, LEASE_MS, success, Workers } from './workers.ts';

/** Less than waiting a second time would take. */
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

/** Whether many claims wait, together and not one after the other. */
async function waitsOnce(store: RedisIdempotencyStore): Promise<boolean> {
  const claims = Array.from({ length: 50 }, () => claimOf(store, randomUUID()));
  const isFirstAtOnce = await endsAtOnce(Promise.race(claims));
  return !isFirstAtOnce && (await endsAtOnce(Promise.all(claims), TOGETHER_MS));
}

const manyClaims = (store: RedisIdempotencyStore) =>
  Promise.all(Array.from({ length: 50 }, () => claimOf(store, randomUUID())));

describe('A worker whose Redis is killed', () => {
  it('continues with its own memory, and shares what is in flight or has ended when Redis is back', async () => {
    const states: RedisState[] = [];
    const one = await workers.join((state) => states.push(state));
    const [taken, settled, local] = [randomUUID(), randomUUID(), randomUUID()];
    await claimOf(one, taken);
    const settledWithout = await claimOf(one, settled);
    await redis.kill();
    await isAway(one);

    expect(await endsAtOnce(Promise.resolve(settledWithout.settle(success('s-1'))))).toBe(true);
    expect(await one.claim(settled, 'f')).toMatchObject({ kind: 'settled' });
    const alone = await claimOf(one, local);
    expect(await one.claim(local, 'f')).toMatchObject({ kind: 'in flight' });
    expect(await endsAtOnce(manyClaims(one))).toBe(true);

    await redis.restart();
    await isBack(one);
    const two = await workers.join();
    const isKnown = (id: string) => redis.run((client) => client.exists(keyOf(id)));
    await until('all that it has is known', async () => {
      const known = await Promise.all([taken, local, settled].map(isKnown));
      return known.every(Boolean);
    });
    expect(await two.claim(taken, 'f')).toMatchObject({ kind: 'in flight' });
    await alone.settle(success('s-2'));
    expect(await two.claim(local, 'f')).toMatchObject({ kind: 'settled' });
    for (const store of [one, two])
      expect(await store.claim(settled, 'f')).toEqual({ kind: 'settled', reply: success('s-1') });
    expect(states.map(({ kind }) => kind)).toEqual(['available', 'away', 'available']);
    expect(states[1]).toMatchObject({ reason: expect.stringMatching(/ECONN|closed|lost/) });
  });
});

describe('A worker whose Redis does not answer', () => {
  it('waits for it once, then not at all, and uses it again when it is back', async () => {
    const one = await workers.join();
    const held = await claimOf(one, randomUUID());
    redis.freeze();
    expect(await waitsOnce(one)).toBe(true);
    expect(one.state).toMatchObject({ kind: 'away', reason: 'a call was not answered in time' });
    expect(await endsAtOnce(manyClaims(one))).toBe(true);
    expect(await endsAtOnce(Promise.resolve(held.settle(success('s-1'))))).toBe(true);
    // Past the pause and into the next connection, which is not answered either.
    await until(
      'it has reconnected',
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

describe('A worker whose connection is half-open', () => {
  it('reconnects', async () => {
    await using line = await TcpProxy.start(redis.url);
    await using behind = new Workers(line.through(redis.url));
    const one = await behind.join();
    line.stall(0);
    expect(await waitsOnce(one)).toBe(true);
    expect(one.state.kind).toBe('away');
    await isBack(one);
    expect(line.accepted).toBe(2);
  });
});

describe('A worker whose event loop is blocked', () => {
  it('does not count Redis as away', async () => {
    const states: string[] = [];
    const one = await workers.join(({ kind }) => states.push(kind));
    // From here, the event loop runs its timers before it reads what has arrived.
    await new Promise(setImmediate);
    const claim = one.claim(randomUUID(), 'f');
    // Long enough for Redis to answer on a busy machine.
    for (const untilMs = performance.now() + 700; performance.now() < untilMs;);
    expect((await claim).kind).toBe('claimed');
    expect(states).toEqual(['available']);
  });
});

describe('A worker that is starting', () => {
  it('uses Redis for its first command, too', async () => {
    const two = await workers.join();
    const id = randomUUID();
    await (await claimOf(two, id)).settle(success('s-1'));
    expect(await workers.start().claim(id, 'f')).toMatchObject({ kind: 'settled' });
  });
});

describe('A repeat that waits for another worker', () => {
  it('keeps waiting through a short outage of Redis', async () => {
    await using patient = new Workers(redis.url, { leaseMs: 3_000 });
    const [one, two] = await Promise.all([patient.join(), patient.join()]);
    const id = randomUUID();
    const first = await claimOf(one, id);
    const repeat = await two.claim(id, 'f');
    redis.freeze();
    await isAway(two);
    redis.thaw();
    await isBack(one);
    await first.settle(success('s-1'));
    expect(repeat.kind === 'in flight' && (await repeat.outcome)).toEqual(success('s-1'));
  });

  it('waits no longer than a lease while Redis is away', async () => {
    const [one, two] = await Promise.all([workers.join(), workers.join()]);
    const id = randomUUID();
    await claimOf(one, id);
    const repeat = await two.claim(id, 'f');
    redis.freeze();
    const isAtOnce = await endsAtOnce(
      Promise.resolve(repeat.kind === 'in flight' && repeat.outcome),
      LEASE_MS / 4,
    );
    expect(isAtOnce).toBe(false);
    expect(await two.claim(id, 'f')).toMatchObject({ kind: 'claimed' });
  });
});

describe('A worker that stops', () => {
  it('closes its connection and leaves nothing open', async () => {
    const clients = () => redis.run((client) => client.client('LIST')) as Promise<string>;
    await using line = await TcpProxy.start(redis.url);
    await using stopping = new Workers(line.through(redis.url));
    const states: string[] = [];
    const store = await stopping.join(({ kind }) => states.push(kind));
    await claimOf(store, randomUUID());
    expect(await clients()).toContain('name=poker-bridge');
    expect(line.connections).toBe(1);
    await store.close();
    await until('Redis sees it go', async () => !(await clients()).includes('name=poker-bridge'));
    await until('no connection is left', () => line.connections === 0);
    expect(line.accepted).toBe(1);
    expect(await store.claim(randomUUID(), 'f')).toMatchObject({ kind: 'claimed' });
    expect(states).toEqual(['available']);
  });
});
