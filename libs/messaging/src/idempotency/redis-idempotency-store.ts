import type { Reply } from '#contracts';

import { ABSENCE_MS, DeadHolder } from './dead-holder.ts';
import { type Claim, IdempotencyStore } from './idempotency-store.ts';
import { type MemoryClaim, MemoryIdempotencyStore } from './memory-idempotency-store.ts';
import { RedisIdentities } from './redis-identities.ts';
import { RedisLeases } from './redis-leases.ts';
import type { RedisState } from './redis-link.ts';
import { replyOfHolder } from './redis-wait.ts';

const LEASE_MS = 3_000;

export interface RedisIdempotencyStoreOptions {
  /** `redis:` or `rediss:`. It may hold a password. */
  readonly url: string;
  /** What every key begins with. */
  readonly prefix: string;
  /** How long a decision is kept. */
  readonly ttlMs: number;
  /** How long the claims of a worker stand that has died; default 3000. */
  readonly leaseMs?: number;
  /** How long a worker's connection to Redis has been gone when a command that comes back does not wait for it; default 500. */
  readonly absenceMs?: number;
  /** Called when Redis becomes available and when it goes away. */
  readonly onState: (state: RedisState) => void;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly newId: () => string;
}

/**
 * The memory of all workers. What this worker has in hand or has decided itself it knows without asking; all else
 * stands in Redis. Without Redis it goes on with its own memory, and tells Redis when that is back.
 */
export class RedisIdempotencyStore extends IdempotencyStore {
  readonly #memory: MemoryIdempotencyStore;
  readonly #identities: RedisIdentities;
  readonly #leases: RedisLeases;
  /** Claims that Redis is being asked for, by identity. */
  readonly #asking = new Map<string, Promise<unknown>>();
  readonly #leaseMs: number;
  readonly #absenceMs: number;
  readonly #nowMs: () => number;

  /** Begins to connect at once. */
  constructor(options: RedisIdempotencyStoreOptions) {
    super();
    const { url, prefix, ttlMs, leaseMs = LEASE_MS, absenceMs = ABSENCE_MS, onState, nowMs, newId } = options;
    this.#leaseMs = leaseMs;
    this.#absenceMs = absenceMs;
    this.#nowMs = nowMs;
    this.#memory = new MemoryIdempotencyStore(ttlMs, nowMs);
    this.#identities = new RedisIdentities({
      url,
      prefix,
      owner: newId(),
      leaseMs,
      nowMs,
      onState: (state) => {
        if (state.kind === 'available') void this.#leases.catchUp();
        onState(state);
      },
    });
    this.#leases = new RedisLeases({ identities: this.#identities, leaseMs, ttlMs, nowMs });
  }

  get state(): RedisState {
    return this.#identities.state;
  }

  async claim(identity: string, fingerprint: string, isRedelivered = false): Promise<Claim> {
    const here = this.#memory.claim(identity, fingerprint);
    const asking = this.#asking.get(identity);
    if (here.kind === 'conflict' && asking) {
      // Which of the two is in conflict is known once Redis has answered.
      await asking;
      return this.claim(identity, fingerprint, isRedelivered);
    }
    if (here.kind !== 'mine') return here;
    const claim = this.#claimEverywhere(identity, fingerprint, isRedelivered, here);
    this.#asking.set(identity, claim);
    return claim.finally(() => this.#asking.delete(identity));
  }

  override async close(): Promise<void> {
    this.#leases.close();
    await this.#identities.close();
  }

  async #claimEverywhere(
    identity: string,
    fingerprint: string,
    isRedelivered: boolean,
    here: Extract<MemoryClaim, { kind: 'mine' }>,
  ): Promise<Claim> {
    const key = this.#identities.keyOf(identity);
    const standing = await this.#identities.claim(key, fingerprint);
    switch (standing?.kind) {
      case 'replied':
        here.release(standing.reply);
        return { kind: 'decided', reply: standing.reply };
      case 'conflict':
        here.release();
        return standing;
      case 'under way':
        return {
          kind: 'under way',
          reply: this.#wait(key, fingerprint, isRedelivered).then((reply) => {
            here.release(reply);
            return reply;
          }),
        };
      case 'absent':
      case undefined:
        this.#leases.hold(key, fingerprint);
        return {
          kind: 'mine',
          settle: async (reply) => {
            await this.#leases.settle(key, fingerprint, reply);
            here.settle(reply);
          },
          release: () => {
            // Other workers have it when its lease ends.
            this.#leases.release(key);
            here.release();
          },
        };
    }
  }

  #wait(key: string, fingerprint: string, isRedelivered: boolean): Promise<Reply | undefined> {
    const identities = this.#identities;
    const holder = new DeadHolder({
      hasConnection: (connection) => identities.hasConnection(connection),
      overdueMs: () => identities.overdueMs(key),
      free: (connection) => identities.free(key, connection),
      absenceMs: this.#absenceMs,
      nowMs: this.#nowMs,
    });
    return replyOfHolder({
      look: () => identities.look(key, fingerprint),
      // Only where the broker says, too, that somebody lost it.
      ...(isRedelivered && { freeFromDead: (connection: string) => holder.free(connection) }),
      leaseMs: this.#leaseMs,
      nowMs: this.#nowMs,
    });
  }
}
