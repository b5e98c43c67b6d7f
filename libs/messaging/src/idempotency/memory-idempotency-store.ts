import type { Reply } from '#contracts';

import { type Claim, IdempotencyStore, isDecision } from './idempotency-store.ts';

/** Identities kept at most; beyond, the oldest decided ones go early. */
const MAX_IDENTITIES = 100_000;
/** What the replies of decided ones hold at most; the same happens beyond. */
const MAX_REPLY_BYTES = 128 * 1024 * 1024;

interface Entry {
  readonly identity: string;
  readonly fingerprint: string;
  /** Those who wait while it is under way. */
  waiting: PromiseWithResolvers<Reply | undefined> | undefined;
  /** Its reply as JSON: many are kept for long, and a garbage collector looks at every object, but not into a text. */
  decision: string | undefined;
  /** When a decision is over. */
  untilMs: number;
  /** The one that was decided after it. */
  next: Entry | undefined;
}

/** A claim in memory; its holder either settles or releases it. */
export type MemoryClaim =
  | Exclude<Claim, { kind: 'mine' }>
  | {
      readonly kind: 'mine';
      settle(reply: Reply): void;
      /** Frees the identity. Those who wait get `reply`, which is not kept. */
      release(reply?: Reply): void;
    };

/** The memory of one worker. */
export class MemoryIdempotencyStore extends IdempotencyStore {
  readonly #entries = new Map<string, Entry>();
  // A chain in the order of decision. The map keeps an order too, but walks over all that was deleted from its front.
  #oldest: Entry | undefined;
  #newest: Entry | undefined;
  #replyBytes = 0;
  readonly #ttlMs: number;
  readonly #nowMs: () => number;

  constructor(ttlMs: number, nowMs: () => number) {
    super();
    this.#ttlMs = ttlMs;
    this.#nowMs = nowMs;
  }

  claim(identity: string, fingerprint: string): MemoryClaim {
    const entry = this.#entries.get(identity);
    if (!entry || isOver(entry, this.#nowMs())) return this.#begin(identity, fingerprint);
    if (entry.fingerprint !== fingerprint) return { kind: 'conflict' };
    if (entry.decision !== undefined) return { kind: 'decided', reply: JSON.parse(entry.decision) as Reply };
    entry.waiting ??= Promise.withResolvers();
    return { kind: 'under way', reply: entry.waiting.promise };
  }

  #begin(identity: string, fingerprint: string): MemoryClaim {
    this.#forget();
    const entry: Entry = {
      identity,
      fingerprint,
      waiting: undefined,
      decision: undefined,
      untilMs: 0,
      next: undefined,
    };
    this.#entries.set(identity, entry);
    const release = (reply?: Reply): void => {
      this.#entries.delete(identity);
      entry.waiting?.resolve(reply);
    };
    const settle = (reply: Reply): void => {
      if (!isDecision(reply)) return release(reply);
      this.#keep(entry, reply);
      entry.waiting?.resolve(reply);
      entry.waiting = undefined;
    };
    return { kind: 'mine', settle, release };
  }

  #keep(entry: Entry, reply: Reply): void {
    entry.decision = JSON.stringify(reply);
    entry.untilMs = this.#nowMs() + this.#ttlMs;
    this.#replyBytes += bytesOf(entry);
    if (this.#newest) this.#newest.next = entry;
    else this.#oldest = entry;
    this.#newest = entry;
  }

  /** Drops what is over, and the oldest decisions where there are too many. */
  #forget(): void {
    const nowMs = this.#nowMs();
    while (this.#oldest && (this.#isTooFull || isOver(this.#oldest, nowMs))) this.#dropOldest(this.#oldest);
  }

  get #isTooFull(): boolean {
    return this.#entries.size >= MAX_IDENTITIES || this.#replyBytes > MAX_REPLY_BYTES;
  }

  #dropOldest(entry: Entry): void {
    const { identity, next } = entry;
    // A clock that was set back may have let the same identity begin anew.
    if (this.#entries.get(identity) === entry) this.#entries.delete(identity);
    this.#replyBytes -= bytesOf(entry);
    this.#oldest = next;
    if (!next) this.#newest = undefined;
  }
}

function isOver({ decision, untilMs }: Entry, nowMs: number): boolean {
  return decision !== undefined && untilMs <= nowMs;
}

/** At most two for each character. */
function bytesOf({ decision = '' }: Entry): number {
  return 2 * decision.length;
}
