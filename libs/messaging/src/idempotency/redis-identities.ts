import { setTimeout as sleep } from 'node:timers/promises';

import type { Reply } from '#contracts';

import type { InternalKeys } from '../envelope/internal-keys.ts';
import { isKept } from './idempotency-store.ts';
import { RedisConnection, type RedisConnectionOptions, type RedisState } from './redis-connection.ts';
import { type RedisName, RedisNames } from './redis-names.ts';
import { type Fields, FIELDS } from './redis-scripts.ts';
import { StoredReplies } from './stored-replies.ts';

const LEASE_MS = 3_000;
/** Of a claim, within its lease. */
const RENEWALS = 3;
/** A worker that lives is connected again within 600 ms. */
const ABSENCE_MS = 1_000;
/** How often a repeat looks whether the outcome is there. */
const LOOK_EVERY_MS = 50;
/** Connections of dead workers that are remembered; beyond it, the oldest is forgotten and waited for again. */
const MAX_GONE = 100;
/** How long an outcome that is not kept stays for the repeats that wait for it. */
const RELEASED_MS = 2_000;

export interface RedisIdentitiesOptions extends RedisConnectionOptions {
  /** What every key begins with. */
  readonly prefix: string;
  /** How long the claims of a dead worker stand at most; default 3000. */
  readonly leaseMs?: number;
  /** How long a worker's connection to Redis is gone until a redelivered command takes over; default 1000. */
  readonly absenceMs?: number;
  readonly newId: () => string;
  /** Encrypt the replies that are kept, and hide whose they are. */
  readonly internalKeys: InternalKeys;
}

/** What Redis has under an identity, for a command with a fingerprint. */
type Entry =
  | { readonly kind: 'free' }
  /** `connection` is that of its owner; '' if that is not known. */
  | { readonly kind: 'in flight'; readonly connection: string }
  | { readonly kind: 'settled'; readonly reply: Reply }
  | { readonly kind: 'conflict' };

/** The identities in Redis, one round trip an operation. `undefined` while Redis is away; nothing rejects. */
export class RedisIdentities {
  readonly #options: RedisIdentitiesOptions & { readonly leaseMs: number; readonly absenceMs: number };
  /** This worker, and no other one. */
  readonly #owner: string;
  readonly #connection: RedisConnection;
  readonly #names: RedisNames;
  readonly #replies: StoredReplies;
  /** The fingerprints of this worker's claims, by key. */
  readonly #held = new Map<string, string>();
  /** When a connection of another worker was first found gone. */
  readonly #goneSinceMs = new Map<string, number>();
  readonly #renewal: NodeJS.Timeout;

  constructor(options: RedisIdentitiesOptions) {
    this.#options = { leaseMs: LEASE_MS, absenceMs: ABSENCE_MS, ...options };
    this.#owner = options.newId();
    // Of the key at the start: all workers that run know an identity by one name, also after the key has changed.
    this.#names = new RedisNames(options.prefix, options.internalKeys.current.identities);
    this.#replies = new StoredReplies(options.internalKeys);
    const probe = this.nameOf(`probe of ${this.#owner}`, '');
    this.#connection = new RedisConnection(options, (redis) =>
      redis.claimIdentity(probe.key, '', this.#owner, '', 1, ''),
    );
    this.#renewal = setInterval(() => this.renew(), this.#options.leaseMs / RENEWALS).unref();
  }

  get state(): RedisState {
    return this.#connection.state;
  }

  /** Key and fingerprint as all other methods take them; they reveal nothing of the command. */
  nameOf(identity: string, fingerprint: string): RedisName {
    return this.#names.nameOf(identity, fingerprint);
  }

  /** Claims an identity and keeps the lease until `settle`, also while Redis is away; `free`: it is this worker's now. */
  async claim(key: string, fingerprint: string): Promise<Entry | undefined> {
    const entry = await this.#claim(key, fingerprint);
    if (entry === undefined || entry.kind === 'free') this.#held.set(key, fingerprint);
    return entry;
  }

  async look(key: string, fingerprint: string): Promise<Entry | undefined> {
    const fields = await this.#connection.attempt((redis) => redis.hmget(key, ...FIELDS));
    return fields && this.#entryOf(fields as Fields, key, fingerprint);
  }

  /**
   * Ends a claim: keeps the outcome, or frees the identity and leaves the outcome for the repeats that wait.
   *
   * @param ttlMs how long it is kept
   * @returns whether Redis was told
   */
  async settle(key: string, fingerprint: string, reply: Reply | undefined, ttlMs: number): Promise<boolean> {
    this.#held.delete(key);
    const [state, expiryMs] =
      reply && isKept(reply)
        ? (['settled', Math.ceil(ttlMs)] as const)
        : (['released', RELEASED_MS] as const);
    const outcome = reply ? this.#replies.encrypt(reply, key, fingerprint) : '';
    const answer = await this.#connection.attempt((redis) =>
      redis.settleIdentity(key, fingerprint, this.#owner, state, outcome, expiryMs),
    );
    return answer !== undefined;
  }

  /** Renews all leases, by claiming again; so a claim that Redis lost, or never heard of, is there again. */
  renew(): void {
    for (const [key, fingerprint] of this.#held) void this.#claim(key, fingerprint);
  }

  /**
   * Waits for the outcome of a command that another worker has claimed.
   *
   * @param isRedelivered whether the broker says that a worker lost it; only then a dead worker's claim is taken over
   * @returns `undefined` once the claim is free, or Redis has been away for longer than a lease
   */
  async outcome(key: string, fingerprint: string, isRedelivered: boolean): Promise<Reply | undefined> {
    const { leaseMs, absenceMs, nowMs } = this.#options;
    let seenAtMs = nowMs();
    // What a dead worker left is taken over by many commands at once, one after the other in quarantine.
    let pauseMs = isRedelivered && this.#goneSinceMs.size > 0 ? 0 : LOOK_EVERY_MS;
    while (nowMs() - seenAtMs <= leaseMs) {
      await sleep(pauseMs, undefined, { ref: false });
      pauseMs = LOOK_EVERY_MS;
      const entry = await this.look(key, fingerprint);
      if (entry === undefined) continue;
      if (entry.kind !== 'in flight') return entry.kind === 'settled' ? entry.reply : undefined;
      seenAtMs = nowMs();
      const goneMs = isRedelivered ? await this.#goneMs(key, entry.connection) : undefined;
      if (goneMs === undefined) continue;
      if (goneMs >= absenceMs) {
        await this.#claim(key, fingerprint, entry.connection);
        return undefined;
      }
      pauseMs = Math.max(pauseMs, absenceMs - goneMs);
    }
    return undefined;
  }

  close(): void {
    clearInterval(this.#renewal);
    this.#connection.close();
  }

  /** @param over what does not count: the claim of a connection that is gone, or an outcome that cannot be read */
  async #claim(key: string, fingerprint: string, over = 'nothing'): Promise<Entry | undefined> {
    const fields = await this.#connection.attempt((redis) =>
      redis.claimIdentity(key, fingerprint, this.#owner, this.#connection.id, this.#options.leaseMs, over),
    );
    if (!fields) return fields === null ? { kind: 'free' } : undefined;
    const entry = this.#entryOf(fields, key, fingerprint);
    return entry.kind === 'free' ? this.#claim(key, fingerprint, fields[3] ?? '') : entry;
  }

  /**
   * How long the owner of a claim has been away at least: since this worker first looked, or since the owner failed to renew
   * the claim; `undefined` if Redis has its connection.
   */
  async #goneMs(key: string, connection: string): Promise<number | undefined> {
    const isGone = await this.#isGone(connection);
    const nowMs = this.#options.nowMs();
    const sinceMs = this.#goneSinceMs.get(connection) ?? nowMs;
    this.#goneSinceMs.delete(connection);
    if (!isGone) return undefined;
    const [oldest] = this.#goneSinceMs.keys();
    if (this.#goneSinceMs.size >= MAX_GONE && oldest !== undefined) this.#goneSinceMs.delete(oldest);
    this.#goneSinceMs.set(connection, sinceMs);
    const { leaseMs } = this.#options;
    const leftMs = (await this.#connection.attempt((redis) => redis.pttl(key))) ?? leaseMs;
    return Math.max(nowMs - sinceMs, leaseMs - leaseMs / RENEWALS - Math.max(0, leftMs));
  }

  /** Whether Redis says that it has no such connection. */
  async #isGone(connection: string): Promise<boolean> {
    const list = await this.#connection.attempt((redis) =>
      // Forbidden to this account, or a server that cannot tell.
      redis.client('LIST', 'ID', connection).catch(() => 'unknown'),
    );
    return typeof list === 'string' && list.trim() === '';
  }

  #entryOf([state, fingerprint, connection, outcome]: Fields, key: string, own: string): Entry {
    if (state === null) return { kind: 'free' };
    if (fingerprint !== own) return { kind: 'conflict' };
    if (state === 'in flight') return { kind: 'in flight', connection: connection ?? '' };
    const reply = this.#replies.decrypt(outcome, key, own);
    return reply ? { kind: 'settled', reply } : { kind: 'free' };
  }
}
