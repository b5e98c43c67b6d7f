import type { Reply } from '#contracts';

import { ANONYMOUS } from '../envelope/envelope.ts';
import { type Claim, type ClaimOrigin, IdempotencyStore, isKept } from './idempotency-store.ts';
import { OutcomeLog } from './outcome-log.ts';

/** Beyond it, the caller with the most outcomes loses its oldest ones early. */
const MAX_IDENTITIES = 100_000;
/** Of all outcomes; beyond it, the same happens to the caller with the most bytes. */
const MAX_REPLY_BYTES = 128 * 1024 * 1024;
/** How often expired outcomes are dropped. */
const SWEEP_EVERY_MS = 1_000;

/** A claim as `MemoryIdempotencyStore` gives it: at once. */
export type MemoryClaim =
  | Exclude<Claim, { kind: 'claimed' }>
  | {
      readonly kind: 'claimed';
      settle(reply: Reply): void;
      /** Frees the identity. Repeats that wait get `reply`, which is not kept. */
      release(reply?: Reply): void;
    };

interface InFlight {
  readonly fingerprint: string;
  /** For the repeats that wait for its outcome. */
  waiting: PromiseWithResolvers<Reply | undefined> | undefined;
}

/** The text of an outcome in a log. */
type Stored = [fingerprint: string, reply: Reply];

/**
 * The identities of one worker, in its memory. Callers share the room fairly: whoever has the most outcomes gives its own
 * oldest up, so that a flood of one caller does not make the worker forget the commands of another.
 */
export class MemoryIdempotencyStore extends IdempotencyStore {
  /** Commands in flight, and the places of outcomes in the log of their caller. */
  readonly #entries = new Map<string, InFlight | number>();
  /** The outcomes of each caller that has any. */
  readonly #logs = new Map<string, OutcomeLog>();
  readonly #ttlMs: number;
  readonly #nowMs: () => number;
  readonly #maxIdentities: number;
  /** Of all logs. */
  #bytes = 0;
  #sweepAtMs = 0;

  /** @param maxIdentities default 100,000 */
  constructor(ttlMs: number, nowMs: () => number, maxIdentities = MAX_IDENTITIES) {
    super();
    this.#ttlMs = ttlMs;
    this.#nowMs = nowMs;
    this.#maxIdentities = maxIdentities;
  }

  claim(identity: string, fingerprint: string, origin: ClaimOrigin = {}): MemoryClaim {
    const { caller = ANONYMOUS } = origin;
    const found = this.#find(identity, fingerprint, caller, origin.isRedelivered);
    if (found) return found;
    this.#makeRoom();
    const entry: InFlight = { fingerprint, waiting: undefined };
    this.#entries.set(identity, entry);
    const release = (reply?: Reply): void => {
      this.#entries.delete(identity);
      entry.waiting?.resolve(reply);
    };
    const settle = (reply: Reply): void => {
      this.#keep(caller, identity, [fingerprint, reply]);
      entry.waiting?.resolve(reply);
    };
    return { kind: 'claimed', settle, release };
  }

  #find(
    identity: string,
    fingerprint: string,
    caller: string,
    isRedelivered = false,
  ): Exclude<Claim, { kind: 'claimed' }> | undefined {
    const entry = this.#entries.get(identity);
    if (entry === undefined) return undefined;
    if (typeof entry === 'object') {
      if (entry.fingerprint !== fingerprint) return { kind: 'conflict' };
      entry.waiting ??= Promise.withResolvers();
      return { kind: 'in flight', outcome: entry.waiting.promise };
    }
    const outcome = this.#logs.get(caller)?.at(entry);
    if (outcome === undefined || outcome.untilMs <= this.#nowMs()) return undefined;
    const [known, reply] = JSON.parse(outcome.text) as Stored;
    const isSame = known === fingerprint;
    if (!isKept(reply) && !(isRedelivered && isSame)) return undefined;
    return isSame ? { kind: 'settled', reply } : { kind: 'conflict' };
  }

  #keep(caller: string, identity: string, outcome: Stored): void {
    let log = this.#logs.get(caller);
    if (log === undefined) this.#logs.set(caller, (log = new OutcomeLog()));
    const before = log.bytes;
    const place = log.append(identity, JSON.stringify(outcome), this.#nowMs() + this.#ttlMs);
    this.#entries.set(identity, place);
    this.#bytes += log.bytes - before;
  }

  /** Drops expired outcomes now and then, and early ones if there are too many. */
  #makeRoom(): void {
    const nowMs = this.#nowMs();
    if (nowMs >= this.#sweepAtMs) {
      this.#sweepAtMs = nowMs + SWEEP_EVERY_MS;
      for (const [caller, log] of this.#logs) {
        while ((log.oldest()?.untilMs ?? Infinity) <= nowMs) this.#dropOldest(caller, log);
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
    const oldest = log.oldest();
    const before = log.bytes;
    log.dropOldest();
    this.#bytes += log.bytes - before;
    if (log.length === 0) this.#logs.delete(caller);
    // An expired identity may have been claimed again.
    if (oldest && this.#entries.get(oldest.identity) === oldest.place) this.#entries.delete(oldest.identity);
  }
}
