import { createHmac, hkdfSync } from 'node:crypto';

import { Redis } from 'ioredis';

import type { Reply } from '#contracts';
import { type IdempotencyStore, InternalKeys, RedisIdempotencyStore, type RedisState } from '#messaging';

import { until } from '../../support/until.ts';

type ClaimOrigin = NonNullable<Parameters<IdempotencyStore['claim']>[2]>;

export const PREFIX = 'test';
export const TTL_MS = 60_000;
/** Short, so that a test can see one expire, and long enough to be renewed in time on a busy machine. */
export const LEASE_MS = 2_400;

const INTERNAL_KEY = Buffer.alloc(32, 7);
const NAMES_KEY = Buffer.from(hkdfSync('sha256', INTERNAL_KEY, '', 'poker-bridge identities', 32));

/** The options of a store that a test may set. */
type Options = Partial<Pick<ConstructorParameters<typeof RedisIdempotencyStore>[0], 'leaseMs' | 'tls'>>;

/** The stores of some workers over one Redis, closed at the end. */
export class Workers implements AsyncDisposable {
  readonly #stores: RedisIdempotencyStore[] = [];
  readonly #url: string;
  readonly #options: Options;

  constructor(url: string, options: Options = {}) {
    this.#url = url;
    this.#options = options;
  }

  /** A store that is connected. */
  async join(onState?: (state: RedisState) => void): Promise<RedisIdempotencyStore> {
    const store = this.start(onState);
    await isBack(store);
    return store;
  }

  /** A store that begins to connect. */
  start(onState: (state: RedisState) => void = () => undefined): RedisIdempotencyStore {
    const store = new RedisIdempotencyStore({
      client: Redis,
      url: this.#url,
      prefix: PREFIX,
      ttlMs: TTL_MS,
      leaseMs: LEASE_MS,
      ...this.#options,
      onState,
      internalKeys: new InternalKeys(INTERNAL_KEY),
    });
    this.#stores.push(store);
    return store;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.close()));
  }
}

/** The claim of a command that is free. */
export async function claimOf(store: IdempotencyStore, id: string, fingerprint = 'f') {
  const claim = await store.claim(id, fingerprint);
  if (claim.kind !== 'claimed') throw new Error(`expected a claim, found: ${claim.kind}`);
  return claim;
}

/** The wait for the outcome of a command that is in flight. */
export async function waitFor(store: IdempotencyStore, id: string, origin?: ClaimOrigin) {
  const claim = await store.claim(id, 'f', origin);
  if (claim.kind !== 'in flight') throw new Error(`expected it in flight, found: ${claim.kind}`);
  return claim;
}

/** The key of an identity in Redis. */
export function keyOf(identity: string): string {
  return `${PREFIX}:identity:${createHmac('sha256', NAMES_KEY).update(`identity ${identity}`).digest('hex')}`;
}

export function isBack(store: RedisIdempotencyStore): Promise<true> {
  return until('Redis is available', () => store.state.kind === 'available');
}

export function isAway(store: RedisIdempotencyStore): Promise<true> {
  return until('Redis is away', () => store.state.kind === 'away');
}

export function success(id: string): Reply {
  return {
    type: 'session.created',
    data: { userId: 'ü-1', sessionId: id, auth: id, redirectUrl: `https://example.com/?auth=${id}` },
  };
}

export function failure(retryable: boolean): Reply {
  return {
    type: 'command.failed',
    data: {
      code: retryable ? 'PLATFORM_UNAVAILABLE' : 'NICKNAME_TAKEN',
      category: retryable ? 'unavailable' : 'rejected',
      retryable,
      ...FACTS,
    },
  };
}

/** A deadline that passed before the platform was called, or while it was. */
export function expiry(called: boolean): Reply {
  const details = { called };
  return {
    type: 'command.failed',
    data: { code: 'COMMAND_EXPIRED', category: 'expired', retryable: false, details, ...FACTS },
  };
}

const FACTS = {
  message: 'A message.',
  attempts: 1,
  command: { id: 'c-1', type: 'session.create' },
  occurredAt: '2026-01-31T12:00:00.000Z',
} as const;
