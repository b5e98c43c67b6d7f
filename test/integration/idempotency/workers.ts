import { beforeEach } from '@jest/globals';
import { Redis } from 'ioredis';

import { CommandError, type CommandErrorFacts, type ErrorCode, type Reply } from '#contracts';
import { type IdempotencyStore, InternalKeys, RedisIdempotencyStore, type RedisState } from '#messaging';

import { asking } from '../../../libs/messaging/src/idempotency/asking.fixture.ts';
import { RedisEntries } from '../../../libs/messaging/src/idempotency/redis-entries.ts';
import { PrivateRedis } from '../../support/private-redis.ts';
import { stackForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

type ClaimOrigin = NonNullable<Parameters<IdempotencyStore['claim']>[2]>;

const PREFIX = 'test';
export const TTL_MS = 60_000;
/** Short enough for a test to see one expire, and long enough to be renewed in time on a busy machine. */
export const LEASE_MS = 2_400;

const internalKeys = new InternalKeys(Buffer.alloc(32, 7));

type Options = Partial<Pick<ConstructorParameters<typeof RedisIdempotencyStore>[0], 'leaseMs' | 'tls'>>;

/** The stores of several workers over one Redis, closed at the end. */
export class Workers implements Disposable {
  readonly #stores: RedisIdempotencyStore[] = [];
  readonly #url: string;
  readonly #options: Options;

  constructor(url: string, options: Options = {}) {
    this.#url = url;
    this.#options = options;
  }

  /** Opens a store and waits for its connection. */
  async join(onState?: (state: RedisState) => void): Promise<RedisIdempotencyStore> {
    const store = this.start(onState);
    await isBack(store);
    return store;
  }

  /** Opens a store that is still connecting. */
  start(onState: (state: RedisState) => void = () => undefined): RedisIdempotencyStore {
    const store = new RedisIdempotencyStore({
      client: Redis,
      url: this.#url,
      prefix: PREFIX,
      ttlMs: TTL_MS,
      leaseMs: LEASE_MS,
      ...this.#options,
      onState,
      internalKeys,
    });
    this.#stores.push(store);
    return store;
  }

  [Symbol.dispose](): void {
    for (const store of this.#stores) store.onApplicationShutdown();
  }
}

/** Gives each test a Redis of its own, and workers that use it. */
export function redisForEach(given: (redis: PrivateRedis, workers: Workers) => unknown): void {
  const stack = stackForAll();
  beforeEach(async () => {
    const redis = stack.use(await PrivateRedis.start());
    given(redis, stack.use(new Workers(redis.url)));
  });
}

export async function claimOf(store: IdempotencyStore, id: string, asked = asking('f')) {
  const claim = await store.claim(id, asked);
  if (claim.kind !== 'claimed') throw new Error(`expected a claim, found: ${claim.kind}`);
  return claim;
}

/** The promise of the outcome of a command that is in flight. */
export async function waitFor(
  store: IdempotencyStore,
  id: string,
  origin?: ClaimOrigin,
  asked = asking('f'),
) {
  const claim = await store.claim(id, asked, origin);
  if (claim.kind !== 'in flight') throw new Error(`expected it in flight, found: ${claim.kind}`);
  return claim;
}

export function keyOf(identity: string): string {
  return new RedisEntries(PREFIX, internalKeys).nameOf(identity, '').key;
}

const becomes = (kind: RedisState['kind']) => (store: RedisIdempotencyStore) =>
  until(`Redis is ${kind}`, () => store.state.kind === kind);
export const isBack = becomes('available');
export const isAway = becomes('away');

export function success(id: string): Reply {
  return {
    type: 'session.created',
    data: { userId: 'ü-1', sessionId: id, auth: id, redirectUrl: `https://example.com/?auth=${id}` },
  };
}

export function failed(code: ErrorCode, details?: CommandErrorFacts['details']): Reply {
  const { category, retryable, message } = new CommandError(code);
  const command = { id: 'c-1', type: 'session.create' };
  const occurredAt = '2026-01-31T12:00:00.000Z';
  const body = { code, category, retryable, message, attempts: 1, command, occurredAt };
  return { type: 'command.failed', data: { ...body, ...(details && { details }) } };
}
