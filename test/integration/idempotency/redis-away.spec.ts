import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import type { RedisIdempotencyStore } from '#messaging';

import { asking } from '../../../libs/messaging/src/idempotency/asking.fixture.ts';
import { until } from '../../support/until.ts';
import type { PrivateRedis } from '../../support/private-redis.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import {
  claimOf,
  isAway,
  isBack,
  keyOf,
  LEASE_MS,
  redisForEach,
  success,
  waitFor,
  Workers,
} from './workers.ts';

/** Much less than a claim waits for Redis. */
const BRIEF_MS = 50;
/** Less than the time of a second wait. */
const TOGETHER_MS = 200;
/** Work without I/O has ended by then; a network request has not. */
const TURNS_AT_ONCE = 5;

let redis: PrivateRedis;
let workers: Workers;

redisForEach((...started) => ([redis, workers] = started));

/**
 * True if a promise settles within a few turns of the event loop, however long those take.
 *
 * @param afterMs on a timer of this process, which a busy machine delays as much as those of a claim
 */
async function endsAtOnce(work: unknown, afterMs = 0): Promise<boolean> {
  let hasEnded = false;
  const end = Promise.resolve(work).then(() => (hasEnded = true));
  if (afterMs > 0) await sleep(afterMs);
  for (let turn = 0; turn < TURNS_AT_ONCE; turn += 1) await new Promise(setImmediate);
  const isAtOnce = hasEnded;
  await end;
  return isAtOnce;
}

const manyClaims = (store: RedisIdempotencyStore) =>
  Array.from({ length: 50 }, () => claimOf(store, randomUUID()));

/** True if many claims wait together and not one after the other. */
async function waitsOnce(store: RedisIdempotencyStore): Promise<boolean> {
  const claims = manyClaims(store);
  const first = Promise.race(claims);
  // Not a number of turns: on a busy machine, a few may take as long as the wait. Timers keep their order.
  const isFirstLate = await Promise.race([first.then(() => false), sleep(BRIEF_MS, true)]);
  await first;
  return isFirstLate && (await endsAtOnce(Promise.all(claims), TOGETHER_MS));
}

const waitsNoMore = (store: RedisIdempotencyStore) => endsAtOnce(Promise.all(manyClaims(store)));

describe('workers whose Redis is killed', () => {
  it('continues with its own memory, and shares its claims and outcomes when Redis is back', async () => {
    const one = await workers.join();
    const [taken, settled, local] = [randomUUID(), randomUUID(), randomUUID()];
    await claimOf(one, taken);
    const settledWithout = await claimOf(one, settled);
    await redis.kill();
    await isAway(one);
    expect(one.state).toMatchObject({ reason: expect.stringMatching(/ECONN|closed|lost/) });
    expect(await endsAtOnce(settledWithout.settle(success('s-1')))).toBe(true);
    expect(await one.claim(settled, asking('f'))).toMatchObject({ kind: 'settled' });
    const alone = await claimOf(one, local);
    expect(await one.claim(local, asking('f'))).toMatchObject({ kind: 'in flight' });
    expect(await waitsNoMore(one)).toBe(true);

    await redis.restart();
    await isBack(one);
    const two = await workers.join();
    await until('all that it has is known', async () => {
      const keys = [taken, local, settled].map(keyOf);
      return (await redis.run((client) => client.exists(keys))) === keys.length;
    });
    await waitFor(two, taken);
    await alone.settle(success('s-2'));
    expect(await two.claim(local, asking('f'))).toMatchObject({ kind: 'settled' });
    expect(await two.claim(settled, asking('f'))).toEqual({ kind: 'settled', reply: success('s-1') });
  });
});

describe('workers whose Redis does not answer', () => {
  it('waits for it once, then fails fast, and uses it again when it is back', async () => {
    const one = await workers.join();
    const held = await claimOf(one, randomUUID());
    redis.signal('SIGSTOP');
    expect(await waitsOnce(one)).toBe(true);
    expect(one.state).toMatchObject({ kind: 'away', reason: 'a call was not answered in time' });
    expect(await waitsNoMore(one)).toBe(true);
    expect(await endsAtOnce(held.settle(success('s-1')))).toBe(true);
    // After the pause, during the next connection, which is not answered either.
    await until('a second', () => one.state.kind === 'away' && Date.now() - one.state.sinceMs > 1_500);
    expect(await waitsNoMore(one)).toBe(true);
    redis.signal('SIGCONT');
    await isBack(one);
  });

  it('does not wait longer for the first connection', async () => {
    redis.signal('SIGSTOP');
    const store = workers.start();
    expect(await waitsOnce(store)).toBe(true);
    expect(await waitsNoMore(store)).toBe(true);
    expect(store.state.kind).toBe('away');
  });

  it('reconnects if its connection is half-open', async () => {
    await using line = await TcpProxy.start(redis.url);
    using behind = new Workers(line.through(redis.url));
    const one = await behind.join();
    line.stall(0);
    expect(await waitsOnce(one)).toBe(true);
    expect(one.state.kind).toBe('away');
    await isBack(one);
    expect(line.accepted).toBe(2);
  });

  it('does not count it as unavailable because its own event loop was blocked', async () => {
    const one = await workers.join();
    // From here, the event loop runs its timers before it reads what has arrived.
    await new Promise(setImmediate);
    const claim = one.claim(randomUUID(), asking('f'));
    // Long enough for Redis to answer on a busy machine.
    for (const untilMs = performance.now() + 700; performance.now() < untilMs;);
    expect((await claim).kind).toBe('claimed');
    expect(one.state.kind).toBe('available');
  });
});

it('uses Redis for the first command of a starting worker', async () => {
  const id = randomUUID();
  await (await claimOf(await workers.join(), id)).settle(success('s-1'));
  expect(await workers.start().claim(id, asking('f'))).toMatchObject({ kind: 'settled' });
});

describe('repeats that wait for another worker', () => {
  it('keeps waiting through a short outage of Redis', async () => {
    using patient = new Workers(redis.url, { leaseMs: 3_000 });
    const [one, two] = await Promise.all([patient.join(), patient.join()]);
    const id = randomUUID();
    const first = await claimOf(one, id);
    const repeat = await waitFor(two, id);
    redis.signal('SIGSTOP');
    await isAway(two);
    redis.signal('SIGCONT');
    await isBack(one);
    await first.settle(success('s-1'));
    expect(await repeat.outcome).toEqual(success('s-1'));
  });

  it('waits no longer than a lease while Redis is unavailable', async () => {
    const [one, two] = await Promise.all([workers.join(), workers.join()]);
    const id = randomUUID();
    await claimOf(one, id);
    const repeat = await waitFor(two, id);
    redis.signal('SIGSTOP');
    expect(await endsAtOnce(repeat.outcome, LEASE_MS / 4)).toBe(false);
    expect(await two.claim(id, asking('f'))).toMatchObject({ kind: 'claimed' });
  });
});

it('closes the connection of a stopping worker and leaves nothing open', async () => {
  const clients = () => redis.run((client) => client.client('LIST')) as Promise<string>;
  await using line = await TcpProxy.start(redis.url);
  using stopping = new Workers(line.through(redis.url));
  const store = await stopping.join();
  await claimOf(store, randomUUID());
  expect(await clients()).toContain('name=poker-bridge');
  // On a busy machine it may have connected twice.
  const { accepted } = line;
  store.onApplicationShutdown();
  await until('Redis sees it go', async () => !(await clients()).includes('name=poker-bridge'));
  await until('no connection is left', () => line.connections === 0);
  expect(line.accepted).toBe(accepted);
  expect(await store.claim(randomUUID(), asking('f'))).toMatchObject({ kind: 'claimed' });
});
