import type { Reply } from '#contracts';

import { type Claim, type ClaimOrigin, IdempotencyStore, isKept, type Known } from './idempotency-store.ts';
import { type MemoryClaim, MemoryIdempotencyStore } from './memory-idempotency-store.ts';
import type { RedisState } from './redis-connection.ts';
import { RedisIdentities, type RedisIdentitiesOptions } from './redis-identities.ts';
import type { RedisName } from './redis-names.ts';

export interface RedisIdempotencyStoreOptions extends RedisIdentitiesOptions {
  /** How long an outcome is kept. */
  readonly ttlMs: number;
}

/**
 * The identities of all workers. Those of this worker it knows without asking, all others are in Redis. While Redis is
 * away it goes on with its own, and tells Redis when that is back.
 */
export class RedisIdempotencyStore extends IdempotencyStore {
  readonly #options: RedisIdempotencyStoreOptions;
  readonly #memory: MemoryIdempotencyStore;
  readonly #identities: RedisIdentities;
  /** The time of the first outcome that Redis was not told. */
  #missedSinceMs: number | undefined;

  /** Begins to connect at once. */
  constructor(options: RedisIdempotencyStoreOptions) {
    super();
    this.#options = options;
    this.#memory = new MemoryIdempotencyStore(options.ttlMs, options.nowMs);
    this.#identities = new RedisIdentities({
      ...options,
      onState: (state) => {
        if (state.kind === 'available') void this.#catchUp();
        options.onState(state);
      },
    });
  }

  get state(): RedisState {
    return this.#identities.state;
  }

  async claim(identity: string, fingerprint: string, origin: ClaimOrigin = {}): Promise<Claim> {
    const local = this.#memory.claim(identity, fingerprint, origin);
    if (local.kind === 'in flight' || local.kind === 'settled') return local;
    const held = local.kind === 'claimed' ? local : undefined;
    const name = this.#identities.nameOf(identity, fingerprint);
    // The command that came first to this worker may be the one in conflict.
    const entry = held
      ? await this.#identities.claim(name.key, name.fingerprint)
      : await this.#identities.look(name.key, name.fingerprint);
    switch (entry?.kind) {
      case 'conflict':
        held?.release();
        return entry;
      case 'settled':
        held?.release(entry.reply);
        return entry;
      case 'in flight': {
        const { isRedelivered = false } = origin;
        const ended = this.#identities.outcome(name.key, name.fingerprint, isRedelivered);
        const outcome = ended.then((reply) => {
          held?.release(reply);
          return reply;
        });
        return { kind: 'in flight', outcome };
      }
      default:
        return held ? this.#shared(name, held) : local;
    }
  }

  async look(identity: string, fingerprint: string, origin?: ClaimOrigin): Promise<Known | undefined> {
    const local = this.#memory.look(identity, fingerprint, origin);
    if (local !== undefined) return local;
    const name = this.#identities.nameOf(identity, fingerprint);
    const entry = await this.#identities.look(name.key, name.fingerprint);
    if (entry === undefined || entry.kind === 'free') return undefined;
    // Left for those that wait already.
    const isReleased = entry.kind === 'settled' && !isKept(entry.reply);
    return isReleased ? undefined : entry.kind;
  }

  override close(): Promise<void> {
    this.#identities.close();
    return Promise.resolve();
  }

  /** A claim that ends in Redis first, and then in memory. */
  #shared({ key, fingerprint }: RedisName, local: Extract<MemoryClaim, { kind: 'claimed' }>): Claim {
    const end = async (reply?: Reply): Promise<void> => {
      const { ttlMs, nowMs } = this.#options;
      const isTold = await this.#identities.settle(key, fingerprint, reply, ttlMs);
      if (!isTold) this.#missedSinceMs ??= nowMs();
    };
    return {
      kind: 'claimed',
      settle: (reply) => end(reply).then(() => local.settle(reply)),
      release: () => end().then(() => local.release()),
    };
  }

  /** Tells a Redis that is back what it missed. */
  async #catchUp(): Promise<void> {
    this.#identities.renew();
    const sinceMs = this.#missedSinceMs;
    if (sinceMs === undefined) return;
    // What it misses from now on is for the next time.
    this.#missedSinceMs = undefined;
    for (const outcome of this.#memory.outcomesSince(sinceMs)) {
      const { key, fingerprint } = this.#identities.nameOf(outcome.identity, outcome.fingerprint);
      const ttlMs = outcome.untilMs - this.#options.nowMs();
      if (await this.#identities.settle(key, fingerprint, outcome.reply, ttlMs)) continue;
      this.#missedSinceMs = sinceMs;
      return;
    }
  }
}
