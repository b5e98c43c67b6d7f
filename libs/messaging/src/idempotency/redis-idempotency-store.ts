import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Reply } from '#contracts';

import { canonicalContent, type CommandContent } from '../envelope/fingerprint.ts';
import { type Claim, type ClaimOrigin, IdempotencyStore, mayPass } from './idempotency-store.ts';
import { MemoryIdempotencyStore } from './memory-idempotency-store.ts';
import { type Found, RedisConnection, type RedisStoreOptions, type RedisState } from './redis-connection.ts';
import { RedisEntries, type RedisName } from './redis-entries.ts';

const LEASE_MS = 1_500;
/** How many times a claim is renewed within its lease. */
const RENEWALS = 3;
/**
 * The maximum of leases and outcomes that are written to Redis later; beyond it, they stay in the memory of
 * this worker.
 */
const MAX_WRITTEN = 5_000;
/**
 * Each attempt replaces the value that the previous one found. The limit keeps a lease that repeatedly
 * changes hands from delaying a reply.
 */
const MAX_SETTLE_TRIES = 3;
/** The interval between two checks for the outcome of another worker. */
const LOOK_EVERY_MS = 125;

type Entry = ReturnType<RedisEntries['read']>;

interface Written {
  /** The value that it may replace. */
  readonly over: string;
  readonly value: string;
  /** The TTL of an outcome; undefined for a lease. */
  readonly untilMs?: number;
}

/**
 * The identities of all workers. A command in flight is a lease in Redis, renewed by its worker; its outcome
 * replaces the lease. For its own in-flight commands, a worker does not ask Redis. While Redis is
 * unavailable, it uses only its own memory.
 */
export class RedisIdempotencyStore extends IdempotencyStore {
  readonly #memory: MemoryIdempotencyStore;
  readonly #entries: RedisEntries;
  readonly #connection: RedisConnection;
  readonly #ttlMs: number;
  readonly #leaseMs: number;
  /**
   * The entries that are written to Redis repeatedly, by key: the leases of this worker, and the outcomes
   * that Redis missed.
   */
  readonly #written = new Map<string, Written>();
  readonly #renewal: NodeJS.Timeout;

  /** Starts to connect at once. */
  constructor(options: RedisStoreOptions) {
    super();
    const { ttlMs, leaseMs = LEASE_MS } = options;
    this.#ttlMs = ttlMs;
    this.#leaseMs = leaseMs;
    this.#memory = new MemoryIdempotencyStore(ttlMs, Date.now);
    this.#entries = new RedisEntries(options.prefix, options.internalKeys);
    this.#connection = new RedisConnection(options, this.#entries.nameOf(randomUUID(), '').key);
    // This also restores leases that Redis lost or never received, and writes the outcomes that it missed.
    this.#renewal = setInterval(() => {
      for (const key of this.#written.keys()) void this.#write(key);
    }, leaseMs / RENEWALS).unref();
  }

  get state(): RedisState {
    return this.#connection.state;
  }

  async claim(identity: string, asked: CommandContent, origin: ClaimOrigin = {}): Promise<Claim> {
    const local = this.#memory.claim(identity, asked, origin);
    if (local.kind === 'in flight' || local.kind === 'settled') return local;
    const held = local.kind === 'claimed' ? local : undefined;
    const name = this.#entries.nameOf(identity, canonicalContent(asked));
    // The command that reached this worker first may be the conflicting one.
    const entry = held
      ? await this.#take(name, origin.isRedelivered)
      : this.#entries.read(await this.#get(name), name, origin.isRedelivered);
    if (!entry) return held ? this.#shared(name, held) : local;
    if (entry.kind !== 'in flight') {
      void held?.release('reply' in entry ? entry.reply : undefined);
      return entry;
    }
    const outcome = this.#outcomeOf(name, origin.untilMs);
    void outcome.then((reply) => held?.release(reply));
    return { kind: 'in flight', outcome };
  }

  /** Closes the connection. Nest calls it after the transport has stopped. */
  onApplicationShutdown(): void {
    clearInterval(this.#renewal);
    this.#connection.close();
  }

  /** A claim that is settled in Redis first, and then in memory. */
  #shared(name: RedisName, held: Extract<Claim, { kind: 'claimed' }>): Claim {
    const { key, lease } = name;
    this.#written.set(key, { over: '', value: lease });
    return {
      kind: 'claimed',
      settle: async (reply) => held.settle(await this.#settle(name, reply)),
      release: () => this.#end(key, lease, '').then(() => held.release()),
    };
  }

  /**
   * Replaces the lease of an identity by an outcome, even the lease of another worker: this one was paused
   * for longer than its own lease, and the first outcome counts for both.
   *
   * @returns the valid outcome: an earlier one of another worker, or `reply`
   */
  async #settle(name: RedisName, reply: Reply): Promise<Reply> {
    const outcome = this.#entries.outcomeOf(name, reply);
    let over = name.lease;
    for (let tries = 0; tries < MAX_SETTLE_TRIES; tries += 1) {
      const found = await this.#end(name.key, over, outcome);
      const entry = this.#entries.read(found, name);
      if (entry?.kind === 'settled') return entry.reply;
      const isInFlight = entry?.kind === 'in flight';
      if (!found || entry?.kind === 'conflict' || (isInFlight && mayPass(reply))) break;
      over = found;
    }
    return reply;
  }

  /**
   * Writes the end of a lease, later if Redis is unavailable.
   *
   * @returns the conflicting value
   */
  #end(key: string, over: string, value: string): Promise<Found> {
    this.#written.set(key, { over, value, untilMs: Date.now() + this.#ttlMs });
    return this.#write(key);
  }

  /**
   * Takes the lease of an identity.
   *
   * @returns the reason why this worker may not run the command, if known
   */
  async #take(name: RedisName, isRedelivered = false, over = ''): Promise<Entry> {
    const stored = await this.#connection.put(name.key, over, name.lease, this.#leaseMs);
    const entry = this.#entries.read(stored, name, isRedelivered);
    return entry === undefined && stored && over === '' ? this.#take(name, isRedelivered, stored) : entry;
  }

  #get({ key }: RedisName): Promise<string | null | undefined> {
    return this.#connection.put(key, '', '', 0);
  }

  async #write(key: string): Promise<Found> {
    const written = this.#written.get(key);
    if (written === undefined) return undefined;
    const { over, value, untilMs } = written;
    const durationMs = untilMs === undefined ? this.#leaseMs : untilMs - Date.now();
    const found = durationMs > 0 ? await this.#connection.put(key, over, value, durationMs) : null;
    const isOver = untilMs !== undefined && (found !== undefined || this.#written.size > MAX_WRITTEN);
    if (isOver && this.#written.get(key) === written) this.#written.delete(key);
    return found;
  }

  /**
   * Waits for the outcome of a command that is in flight in another worker.
   *
   * @returns undefined once the identity is free, Redis has been unavailable for longer than a lease, or
   *   `untilMs` has passed
   */
  async #outcomeOf(name: RedisName, untilMs = Infinity): Promise<Reply | undefined> {
    let seenAtMs = Date.now();
    while (Date.now() < untilMs && Date.now() - seenAtMs <= this.#leaseMs) {
      await sleep(LOOK_EVERY_MS, undefined, { ref: false });
      const stored = await this.#get(name);
      if (stored === undefined) continue;
      // A transient failure is an outcome, too, for the repeats that waited for it.
      const entry = this.#entries.read(stored, name, true);
      if (entry?.kind !== 'in flight') return entry?.kind === 'settled' ? entry.reply : undefined;
      seenAtMs = Date.now();
    }
    return undefined;
  }
}
