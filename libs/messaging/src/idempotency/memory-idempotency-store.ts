import type { Reply } from '#contracts';

import { ANONYMOUS } from '../envelope/caller-policy.ts';
import { type Claim, type ClaimOrigin, IdempotencyStore, isKept, type Known } from './idempotency-store.ts';
import { OutcomeLog } from './outcome-log.ts';

/** Beyond it, the caller with the most outcomes loses its oldest ones early. */
const MAX_IDENTITIES = 100_000;
/** Of all outcomes; beyond it, the same happens to the caller with the most bytes. */
const MAX_REPLY_BYTES = 128 * 1024 * 1024;
/** How often expired outcomes are dropped. */
const SWEEP_EVERY_MS = 1_000;

/** A claim as `MemoryIdempotencyStore` gives it: at once. */
export type MemoryClaim = Found | HeldClaim;

type Found = Exclude<Claim, { kind: 'claimed' }>;

export interface KeptOutcome {
  readonly identity: string;
  readonly fingerprint: string;
  readonly reply: Reply;
  /** Epoch milliseconds. */
  readonly untilMs: number;
}

class HeldClaim {
  readonly kind = 'claimed';
  readonly caller: string;
  readonly identity: string;
  readonly fingerprint: string;
  /** For the repeats that wait for its outcome. */
  waiting: PromiseWithResolvers<Reply | undefined> | undefined;
  readonly #keep: (held: HeldClaim, reply: Reply) => void;
  readonly #drop: (identity: string) => void;

  constructor(
    caller: string,
    identity: string,
    fingerprint: string,
    keep: (held: HeldClaim, reply: Reply) => void,
    drop: (identity: string) => void,
  ) {
    this.caller = caller;
    this.identity = identity;
    this.fingerprint = fingerprint;
    this.#keep = keep;
    this.#drop = drop;
  }

  settle(reply: Reply): void {
    if (!isKept(reply)) return this.release(reply);
    this.#keep(this, reply);
    this.waiting?.resolve(reply);
  }

  /** Frees the identity. Repeats that wait get `reply`, which is not kept. */
  release(reply?: Reply): void {
    this.#drop(this.identity);
    this.waiting?.resolve(reply);
  }
}

/**
 * The identities of one worker, in its memory. Callers share the room fairly: whoever has the most outcomes gives its own
 * oldest up, so that a flood of one caller does not make the worker forget the commands of another.
 */
export class MemoryIdempotencyStore extends IdempotencyStore {
  /** Claims in flight, and the places of outcomes in the log of their caller. */
  readonly #entries = new Map<string, HeldClaim | number>();
  /** The outcomes of each caller that has any. */
  readonly #logs = new Map<string, OutcomeLog>();
  readonly #ttlMs: number;
  readonly #nowMs: () => number;
  readonly #maxIdentities: number;
  /** Of all logs. */
  #bytes = 0;
  #sweepAtMs = 0;
  readonly #keep = ({ caller, identity, fingerprint }: HeldClaim, reply: Reply): void => {
    const untilMs = this.#nowMs() + this.#ttlMs;
    let log = this.#logs.get(caller);
    if (log === undefined) this.#logs.set(caller, (log = new OutcomeLog()));
    const before = log.bytes;
    this.#entries.set(identity, log.append(identity, fingerprint, reply, untilMs));
    this.#bytes += log.bytes - before;
  };
  readonly #drop = (identity: string): void => {
    this.#entries.delete(identity);
  };

  /** @param maxIdentities default 100,000 */
  constructor(ttlMs: number, nowMs: () => number, maxIdentities = MAX_IDENTITIES) {
    super();
    this.#ttlMs = ttlMs;
    this.#nowMs = nowMs;
    this.#maxIdentities = maxIdentities;
  }

  claim(identity: string, fingerprint: string, { caller = ANONYMOUS }: ClaimOrigin = {}): MemoryClaim {
    return this.#find(identity, fingerprint, caller) ?? this.#begin(caller, identity, fingerprint);
  }

  look(identity: string, fingerprint: string, { caller = ANONYMOUS }: ClaimOrigin = {}): Known | undefined {
    return this.#find(identity, fingerprint, caller)?.kind;
  }

  /** The outcomes kept between `sinceMs` and now, for as long as they are valid. */
  *outcomesSince(sinceMs: number): Generator<KeptOutcome> {
    const nowMs = this.#nowMs();
    for (const log of this.#logs.values()) {
      for (const { identity, place } of log.places()) {
        // Meanwhile it may have been dropped.
        if (this.#entries.get(identity) !== place) continue;
        const untilMs = log.untilMs(place);
        const keptAtMs = untilMs - this.#ttlMs;
        if (keptAtMs < sinceMs || keptAtMs > nowMs || untilMs <= this.#nowMs()) continue;
        yield { identity, fingerprint: log.fingerprint(place), reply: log.reply(place), untilMs };
      }
    }
  }

  #find(identity: string, fingerprint: string, caller: string): Found | undefined {
    const entry = this.#entries.get(identity);
    if (entry === undefined) return undefined;
    if (typeof entry === 'number') {
      const log = this.#logs.get(caller);
      if (log === undefined || log.untilMs(entry) <= this.#nowMs()) return undefined;
      if (log.fingerprint(entry) !== fingerprint) return { kind: 'conflict' };
      return { kind: 'settled', reply: log.reply(entry) };
    }
    if (entry.fingerprint !== fingerprint) return { kind: 'conflict' };
    entry.waiting ??= Promise.withResolvers();
    return { kind: 'in flight', outcome: entry.waiting.promise };
  }

  #begin(caller: string, identity: string, fingerprint: string): MemoryClaim {
    this.#makeRoom();
    const held = new HeldClaim(caller, identity, fingerprint, this.#keep, this.#drop);
    this.#entries.set(identity, held);
    return held;
  }

  /** Drops expired outcomes now and then, and early ones if there are too many. */
  #makeRoom(): void {
    const nowMs = this.#nowMs();
    if (nowMs >= this.#sweepAtMs) {
      this.#sweepAtMs = nowMs + SWEEP_EVERY_MS;
      for (const [caller, log] of this.#logs) {
        while (log.oldestUntilMs <= nowMs) this.#dropOldest(caller, log);
      }
    }
    while (this.#hasTooMany || this.#bytes > MAX_REPLY_BYTES) {
      const most = this.#most();
      if (most === undefined) return;
      this.#dropOldest(...most);
    }
  }

  get #hasTooMany(): boolean {
    return this.#entries.size >= this.#maxIdentities;
  }

  /** The caller that has the most of what there is too much of. */
  #most(): [caller: string, log: OutcomeLog] | undefined {
    const amountOf = this.#hasTooMany ? (log: OutcomeLog) => log.length : (log: OutcomeLog) => log.bytes;
    let most: [string, OutcomeLog] | undefined;
    for (const entry of this.#logs) {
      if (most === undefined || amountOf(entry[1]) > amountOf(most[1])) most = entry;
    }
    return most;
  }

  #dropOldest(caller: string, log: OutcomeLog): void {
    const before = log.bytes;
    const dropped = log.dropOldest();
    this.#bytes += log.bytes - before;
    if (log.length === 0) this.#logs.delete(caller);
    // An expired identity may have been claimed again.
    if (dropped && this.#entries.get(dropped.identity) === dropped.place)
      this.#entries.delete(dropped.identity);
  }
}
