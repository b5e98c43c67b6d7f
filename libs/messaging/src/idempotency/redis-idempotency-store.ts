import { setTimeout as sleep } from 'node:timers/promises';

import type { Reply } from '#contracts';

import type { InternalKeys } from '../envelope/internal-keys.ts';
import { type Claim, type ClaimOrigin, IdempotencyStore, isKept } from './idempotency-store.ts';
import { type MemoryClaim, MemoryIdempotencyStore } from './memory-idempotency-store.ts';
import { RedisConnection, type RedisConnectionOptions, type RedisState } from './redis-connection.ts';
import { type Entry, RedisEntries, type RedisName } from './redis-entries.ts';

const LEASE_MS = 1_500;
/** Of a claim, within its lease. */
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
  /** How long the claims of a dead worker stand; default 1500. */
  readonly leaseMs?: number;
  readonly newId: () => string;
  /** Encrypt the replies that are kept, and hide whose they are. */
  readonly internalKeys: InternalKeys;
}

/**
 * The identities of all workers: a command in flight is a lease in Redis, which its worker renews; its outcome replaces
 * the lease. What this worker has in flight it knows without asking. While Redis is away, it has its own memory alone.
 */
export class RedisIdempotencyStore extends IdempotencyStore {
  readonly #options: RedisIdempotencyStoreOptions & { readonly leaseMs: number };
  readonly #memory: MemoryIdempotencyStore;
  readonly #entries: RedisEntries;
  readonly #connection: RedisConnection;
  /** This worker, and no other one. */
  readonly #owner: string;
  /** What Redis is told again and again, by the keys: each lease of this worker, and the outcomes that it missed. */
  readonly #written = new Map<string, Written>();
  readonly #renewal: NodeJS.Timeout;

  /** Begins to connect at once. */
  constructor(options: RedisIdempotencyStoreOptions) {
    super();
    this.#options = { leaseMs: LEASE_MS, ...options };
    this.#memory = new MemoryIdempotencyStore(options.ttlMs, options.nowMs);
    this.#entries = new RedisEntries(options.prefix, options.internalKeys);
    this.#owner = options.newId();
    const { key } = this.#entries.nameOf(`probe of ${this.#owner}`, '');
    this.#connection = new RedisConnection(options, (redis) => redis.putEntry(key, '', 'probe', 1));
    this.#renewal = setInterval(() => this.#renew(), this.#options.leaseMs / RENEWALS).unref();
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
        held?.release();
        return { kind: 'conflict' };
      case 'settled':
        held?.release(entry.reply);
        return entry;
      case 'in flight': {
        const outcome = this.#outcomeOf(name, origin.untilMs).then((reply) => {
          held?.release(reply);
          return reply;
        });
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
  #shared(name: RedisName, held: Extract<MemoryClaim, { kind: 'claimed' }>): Claim {
    const { ttlMs, nowMs } = this.#options;
    const lease = this.#entries.leaseOf(name, this.#owner);
    this.#written.set(name.key, { over: '', value: lease, untilMs: Infinity });
    const end = async (outcome: string): Promise<void> => {
      this.#written.set(name.key, { over: lease, value: outcome, untilMs: nowMs() + ttlMs });
      await this.#write(name.key);
    };
    const settle = async (reply: Reply): Promise<void> => {
      await end(this.#entries.outcomeOf(name, reply));
      held.settle(reply);
    };
    return { kind: 'claimed', settle, release: () => end('').then(() => held.release()) };
  }

  /** Takes the lease of an identity. @returns `free` if this worker has it now, `undefined` if Redis is away */
  async #take(name: RedisName, isRedelivered = false): Promise<Entry | undefined> {
    const lease = this.#entries.leaseOf(name, this.#owner);
    let over = '';
    for (let takes = 0; takes < MAX_TAKES; takes += 1) {
      const stored = await this.#put(name, over, lease, this.#options.leaseMs);
      if (stored === undefined) return undefined;
      const entry = this.#entries.read(stored, name);
      const isFree = entry.kind === 'free' || (isPassing(entry) && !isRedelivered);
      if (stored === null || !isFree) return entry;
      over = stored;
    }
    return undefined;
  }

  async #look(name: RedisName): Promise<Entry | undefined> {
    // Another type than text is nothing that a worker wrote.
    const get = (stored: string | null) => this.#entries.read(stored, name);
    return this.#connection.attempt((redis) => redis.get(name.key).then(get, orFree));
  }

  /** Writes an entry unless there is another one than it, or `over`. @returns that other one */
  #put({ key }: Pick<RedisName, 'key'>, over: string, value: string, durationMs: number) {
    return this.#connection.attempt((redis) => redis.putEntry(key, over, value, Math.ceil(durationMs)));
  }

  /** Renews all leases, also those that Redis lost or never heard of, and writes the outcomes that it missed. */
  #renew(): void {
    for (const key of this.#written.keys()) void this.#write(key);
  }

  async #write(key: string): Promise<void> {
    const written = this.#written.get(key);
    if (written === undefined) return;
    const { leaseMs, nowMs } = this.#options;
    const { over, value, untilMs } = written;
    const durationMs = untilMs === Infinity ? leaseMs : untilMs - nowMs();
    const isMissed = durationMs > 0 && (await this.#put({ key }, over, value, durationMs)) === undefined;
    if (this.#written.get(key) !== written) return;
    const isOver = !isMissed || this.#written.size > MAX_WRITTEN;
    if (untilMs !== Infinity && isOver) this.#written.delete(key);
  }

  /**
   * Waits for the outcome of a command that another worker has in flight.
   *
   * @returns `undefined` once it is free, Redis has been away for longer than a lease, or after `untilMs`
   */
  async #outcomeOf(name: RedisName, untilMs = Infinity): Promise<Reply | undefined> {
    const { leaseMs, nowMs } = this.#options;
    let seenAtMs = nowMs();
    let pauseMs = FIRST_PAUSE_MS;
    while (nowMs() < untilMs && nowMs() - seenAtMs <= leaseMs) {
      await sleep(pauseMs, undefined, { ref: false });
      pauseMs = Math.min(1.5 * pauseMs, LONGEST_PAUSE_MS);
      const entry = await this.#look(name);
      if (entry === undefined) continue;
      if (entry.kind !== 'in flight') return entry.kind === 'settled' ? entry.reply : undefined;
      seenAtMs = nowMs();
    }
    return undefined;
  }
}

/** Whether an outcome counts only for the message that it was decided for. */
function isPassing(entry: Entry): boolean {
  return entry.kind === 'settled' && !isKept(entry.reply);
}

/** @throws Error any other refusal than that of a key that holds no text */
function orFree(error: Error): Entry {
  if (error.message.startsWith('WRONGTYPE')) return { kind: 'free' };
  throw error;
}
