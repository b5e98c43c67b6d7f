import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Reply } from '#contracts';

import type { InternalKeys } from '../envelope/internal-keys.ts';
import { type Claim, type ClaimOrigin, IdempotencyStore, isKept } from './idempotency-store.ts';
import { MemoryIdempotencyStore } from './memory-idempotency-store.ts';
import { RedisConnection, type RedisConnectionOptions, type RedisState } from './redis-connection.ts';
import { type Entry, RedisEntries, type RedisName } from './redis-entries.ts';

const LEASE_MS = 1_500;
/** How often a claim is renewed within its lease. */
const RENEWALS = 3;
/** Beyond so many leases and outcomes, what Redis missed stays in the memory of this worker. */
const MAX_WRITTEN = 5_000;
/** Between two looks for the outcome of another worker; each further pause is half as long again. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 250;
/** Takes of an identity under which somebody else writes what nobody can read; then the command is run. */
const MAX_TAKES = 3;

interface Written {
  /** What it may replace. */
  readonly over: string;
  readonly value: string;
  /** How long an outcome is kept; `Infinity` for a lease. */
  readonly untilMs: number;
}

export interface RedisIdempotencyStoreOptions extends RedisConnectionOptions {
  /** What every key begins with. */
  readonly prefix: string;
  /** How long an outcome is kept. */
  readonly ttlMs: number;
  /** How long the claims of a dead worker hold; default 1500. */
  readonly leaseMs?: number;
  /** Encrypt the replies that are kept, and hide whose they are. */
  readonly internalKeys: InternalKeys;
}

/**
 * The identities of all workers: a command in flight is a lease in Redis, which its worker renews; its outcome replaces
 * the lease. What this worker has in flight it knows without asking. While Redis is away, it has its own memory alone.
 */
export class RedisIdempotencyStore extends IdempotencyStore {
  readonly #memory: MemoryIdempotencyStore;
  readonly #entries: RedisEntries;
  readonly #connection: RedisConnection;
  readonly #ttlMs: number;
  readonly #leaseMs: number;
  readonly #nowMs: () => number;
  /** This worker, and no other one. */
  readonly #owner = randomUUID();
  /** What is written to Redis again and again, by key: the leases of this worker, and the outcomes that Redis missed. */
  readonly #written = new Map<string, Written>();
  readonly #renewal: NodeJS.Timeout;

  /** Begins to connect at once. */
  constructor(options: RedisIdempotencyStoreOptions) {
    super();
    const { ttlMs, leaseMs = LEASE_MS, nowMs } = options;
    this.#ttlMs = ttlMs;
    this.#leaseMs = leaseMs;
    this.#nowMs = nowMs;
    this.#memory = new MemoryIdempotencyStore(ttlMs, nowMs);
    this.#entries = new RedisEntries(options.prefix, options.internalKeys);
    this.#connection = new RedisConnection(options, this.#entries.nameOf(`probe of ${this.#owner}`, '').key);
    // Also restores leases that Redis lost or never heard of, and writes the outcomes that it missed.
    this.#renewal = setInterval(() => {
      for (const key of this.#written.keys()) void this.#write(key);
    }, leaseMs / RENEWALS).unref();
  }

  get state(): RedisState {
    return this.#connection.state;
  }

  async claim(identity: string, fingerprint: string, origin: ClaimOrigin = {}): Promise<Claim> {
    const local = this.#memory.claim(identity, fingerprint, origin);
    if (local.kind === 'in flight' || local.kind === 'settled') return local;
    const held = local.kind === 'claimed' ? local : undefined;
    const name = this.#entries.nameOf(identity, fingerprint);
    // The command that came first to this worker may be the one in conflict.
    const entry = await (held ? this.#take(name, origin.isRedelivered) : this.#look(name));
    switch (entry?.kind) {
      case 'conflict':
        void held?.release();
        return { kind: 'conflict' };
      case 'settled':
        void held?.release(entry.reply);
        return entry;
      case 'in flight': {
        const outcome = this.#outcomeOf(name, origin.untilMs);
        void outcome.then((reply) => held?.release(reply));
        return { kind: 'in flight', outcome };
      }
      default:
        return held ? this.#shared(name, held) : local;
    }
  }

  override close(): Promise<void> {
    clearInterval(this.#renewal);
    this.#connection.close();
    return Promise.resolve();
  }

  /** A claim that ends in Redis first, and then in memory. */
  #shared(name: RedisName, held: Extract<Claim, { kind: 'claimed' }>): Claim {
    const lease = this.#entries.leaseOf(name, this.#owner);
    this.#written.set(name.key, { over: '', value: lease, untilMs: Infinity });
    const end = (outcome: string): Promise<void> => {
      this.#written.set(name.key, { over: lease, value: outcome, untilMs: this.#nowMs() + this.#ttlMs });
      return this.#write(name.key);
    };
    return {
      kind: 'claimed',
      settle: (reply) => end(this.#entries.outcomeOf(name, reply)).then(() => held.settle(reply)),
      release: () => end('').then(() => held.release()),
    };
  }

  /** Takes the lease of an identity. @returns `free` if this worker has it now, `undefined` if Redis is away */
  async #take(name: RedisName, isRedelivered = false): Promise<Entry | undefined> {
    const lease = this.#entries.leaseOf(name, this.#owner);
    let over = '';
    for (let takes = 0; takes < MAX_TAKES; takes += 1) {
      const stored = await this.#connection.put(name.key, over, lease, this.#leaseMs);
      if (stored === undefined) return undefined;
      const entry = this.#entries.read(stored, name);
      // An outcome that is not kept counts only for the message that it was decided for.
      const isPassing = entry.kind === 'settled' && !isKept(entry.reply) && !isRedelivered;
      if (stored === null || !(entry.kind === 'free' || isPassing)) return entry;
      over = stored;
    }
    return undefined;
  }

  async #look(name: RedisName): Promise<Entry | undefined> {
    const stored = await this.#connection.put(name.key, '', '', 0);
    return stored === undefined ? undefined : this.#entries.read(stored, name);
  }

  async #write(key: string): Promise<void> {
    const written = this.#written.get(key);
    if (written === undefined) return;
    const { over, value, untilMs } = written;
    const durationMs = untilMs === Infinity ? this.#leaseMs : untilMs - this.#nowMs();
    const isMissed =
      durationMs > 0 && (await this.#connection.put(key, over, value, Math.ceil(durationMs))) === undefined;
    const isOver = untilMs !== Infinity && (!isMissed || this.#written.size > MAX_WRITTEN);
    if (isOver && this.#written.get(key) === written) this.#written.delete(key);
  }

  /**
   * Waits for the outcome of a command that another worker has in flight.
   *
   * @returns `undefined` once it is free, Redis has been away for longer than a lease, or after `untilMs`
   */
  async #outcomeOf(name: RedisName, untilMs = Infinity): Promise<Reply | undefined> {
    let seenAtMs = this.#nowMs();
    let pauseMs = FIRST_PAUSE_MS;
    while (this.#nowMs() < untilMs && this.#nowMs() - seenAtMs <= this.#leaseMs) {
      await sleep(pauseMs, undefined, { ref: false });
      pauseMs = Math.min(1.5 * pauseMs, LONGEST_PAUSE_MS);
      const entry = await this.#look(name);
      if (entry === undefined) continue;
      if (entry.kind !== 'in flight') return entry.kind === 'settled' ? entry.reply : undefined;
      seenAtMs = this.#nowMs();
    }
    return undefined;
  }
}
