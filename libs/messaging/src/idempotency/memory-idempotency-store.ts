import type { Reply } from '#contracts';

import { type Claim, IdempotencyStore, isKept } from './idempotency-store.ts';
import { OutcomeLog } from './outcome-log.ts';

/** Beyond it, the oldest outcomes are dropped early. */
const MAX_IDENTITIES = 100_000;
/** Of all outcomes; beyond it, the same happens. */
const MAX_REPLY_BYTES = 128 * 1024 * 1024;

/** A claim as `MemoryIdempotencyStore` gives it: at once. */
export type MemoryClaim = Exclude<Claim, { kind: 'claimed' }> | HeldClaim;

export interface KeptOutcome {
  readonly identity: string;
  readonly fingerprint: string;
  readonly reply: Reply;
  /** Epoch milliseconds. */
  readonly untilMs: number;
}

class HeldClaim {
  readonly kind = 'claimed';
  readonly identity: string;
  readonly fingerprint: string;
  /** For the repeats that wait for its outcome. */
  waiting: PromiseWithResolvers<Reply | undefined> | undefined;
  readonly #keep: (held: HeldClaim, reply: Reply) => void;
  readonly #drop: (identity: string) => void;

  constructor(
    identity: string,
    fingerprint: string,
    keep: (held: HeldClaim, reply: Reply) => void,
    drop: (identity: string) => void,
  ) {
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

/** The identities of one worker, in its memory. */
export class MemoryIdempotencyStore extends IdempotencyStore {
  /** Claims in flight, and the places of outcomes in the log. */
  readonly #entries = new Map<string, HeldClaim | number>();
  readonly #outcomes = new OutcomeLog();
  readonly #ttlMs: number;
  readonly #nowMs: () => number;
  readonly #keep = ({ identity, fingerprint }: HeldClaim, reply: Reply): void => {
    const untilMs = this.#nowMs() + this.#ttlMs;
    this.#entries.set(identity, this.#outcomes.append(identity, fingerprint, reply, untilMs));
  };
  readonly #drop = (identity: string): void => {
    this.#entries.delete(identity);
  };

  constructor(ttlMs: number, nowMs: () => number) {
    super();
    this.#ttlMs = ttlMs;
    this.#nowMs = nowMs;
  }

  claim(identity: string, fingerprint: string): MemoryClaim {
    const entry = this.#entries.get(identity);
    if (entry === undefined || this.#isExpired(entry)) return this.#begin(identity, fingerprint);
    if (typeof entry === 'number') {
      if (this.#outcomes.fingerprint(entry) !== fingerprint) return { kind: 'conflict' };
      return { kind: 'settled', reply: this.#outcomes.reply(entry) };
    }
    if (entry.fingerprint !== fingerprint) return { kind: 'conflict' };
    entry.waiting ??= Promise.withResolvers();
    return { kind: 'in flight', outcome: entry.waiting.promise };
  }

  /** The outcomes kept between `sinceMs` and now, for as long as they are valid. */
  *outcomesSince(sinceMs: number): Generator<KeptOutcome> {
    const log = this.#outcomes;
    const nowMs = this.#nowMs();
    for (const [identity, place] of this.#entries) {
      if (typeof place !== 'number' || this.#isExpired(place)) continue;
      const untilMs = log.untilMs(place);
      const keptAtMs = untilMs - this.#ttlMs;
      if (keptAtMs < sinceMs || keptAtMs > nowMs) continue;
      yield { identity, fingerprint: log.fingerprint(place), reply: log.reply(place), untilMs };
    }
  }

  #isExpired(entry: HeldClaim | number): boolean {
    return typeof entry === 'number' && this.#outcomes.untilMs(entry) <= this.#nowMs();
  }

  #begin(identity: string, fingerprint: string): MemoryClaim {
    this.#forget();
    const held = new HeldClaim(identity, fingerprint, this.#keep, this.#drop);
    this.#entries.set(identity, held);
    return held;
  }

  /** Drops expired outcomes, and the oldest ones if there are too many. */
  #forget(): void {
    const nowMs = this.#nowMs();
    while (this.#isTooFull || this.#outcomes.oldestUntilMs <= nowMs) {
      const dropped = this.#outcomes.dropOldest();
      if (dropped === undefined) return;
      // An expired identity may have been claimed again.
      if (this.#entries.get(dropped.identity) === dropped.place) this.#entries.delete(dropped.identity);
    }
  }

  get #isTooFull(): boolean {
    return this.#entries.size >= MAX_IDENTITIES || this.#outcomes.bytes > MAX_REPLY_BYTES;
  }
}
