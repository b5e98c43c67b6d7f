import type { Reply } from '#contracts';

import { DecisionLog } from './decision-log.ts';
import { type Claim, IdempotencyStore, isDecision } from './idempotency-store.ts';

/** Identities kept at most; beyond, the oldest decided ones go early. */
const MAX_IDENTITIES = 100_000;
/** What the replies of decided ones hold at most; the same happens beyond. */
const MAX_REPLY_BYTES = 128 * 1024 * 1024;

/** A claim in memory; its holder either settles or releases it. */
export type MemoryClaim = Exclude<Claim, { kind: 'mine' }> | HeldIdentity;

/** An identity that is under way. */
class HeldIdentity {
  readonly kind = 'mine';
  readonly identity: string;
  readonly fingerprint: string;
  /** Those who wait for its reply. */
  waiting: PromiseWithResolvers<Reply | undefined> | undefined;
  readonly #keep: (held: HeldIdentity, reply: Reply) => void;
  readonly #drop: (identity: string) => void;

  constructor(
    identity: string,
    fingerprint: string,
    keep: (held: HeldIdentity, reply: Reply) => void,
    drop: (identity: string) => void,
  ) {
    this.identity = identity;
    this.fingerprint = fingerprint;
    this.#keep = keep;
    this.#drop = drop;
  }

  settle(reply: Reply): void {
    if (!isDecision(reply)) return this.release(reply);
    this.#keep(this, reply);
    this.waiting?.resolve(reply);
  }

  /** Frees the identity. Those who wait get `reply`, which is not kept. */
  release(reply?: Reply): void {
    this.#drop(this.identity);
    this.waiting?.resolve(reply);
  }
}

/** The memory of one worker. */
export class MemoryIdempotencyStore extends IdempotencyStore {
  /** What is under way, and the places of what was decided. */
  readonly #entries = new Map<string, HeldIdentity | number>();
  readonly #decisions = new DecisionLog();
  readonly #ttlMs: number;
  readonly #nowMs: () => number;
  readonly #keep = (held: HeldIdentity, reply: Reply): void => {
    const { identity, fingerprint } = held;
    const untilMs = this.#nowMs() + this.#ttlMs;
    this.#entries.set(identity, this.#decisions.append(identity, fingerprint, reply, untilMs));
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
    const known = this.#entries.get(identity);
    if (known === undefined) return this.#begin(identity, fingerprint);
    if (typeof known === 'number') return this.#repeat(identity, fingerprint, known);
    if (known.fingerprint !== fingerprint) return { kind: 'conflict' };
    known.waiting ??= Promise.withResolvers();
    return { kind: 'under way', reply: known.waiting.promise };
  }

  #repeat(identity: string, fingerprint: string, place: number): MemoryClaim {
    if (this.#decisions.untilMs(place) <= this.#nowMs()) return this.#begin(identity, fingerprint);
    if (!this.#decisions.hasFingerprint(place, fingerprint)) return { kind: 'conflict' };
    return { kind: 'decided', reply: this.#decisions.reply(place) };
  }

  #begin(identity: string, fingerprint: string): MemoryClaim {
    this.#forget();
    const held = new HeldIdentity(identity, fingerprint, this.#keep, this.#drop);
    this.#entries.set(identity, held);
    return held;
  }

  /** Drops what is over, and the oldest decisions where there are too many. */
  #forget(): void {
    const nowMs = this.#nowMs();
    while (this.#isTooFull || this.#decisions.oldestUntilMs <= nowMs) {
      const dropped = this.#decisions.dropOldest();
      if (dropped === undefined) return;
      // It may have begun anew when its time was over.
      if (this.#entries.get(dropped.identity) === dropped.place) this.#entries.delete(dropped.identity);
    }
  }

  get #isTooFull(): boolean {
    return this.#entries.size >= MAX_IDENTITIES || this.#decisions.bytes > MAX_REPLY_BYTES;
  }
}
