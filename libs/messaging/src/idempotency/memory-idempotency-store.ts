import type { Reply } from '#contracts';

import { type Claim, IdempotencyStore, isDecision } from './idempotency-store.ts';
import { replyBytes } from './reply-bytes.ts';

/** Identities kept at most; beyond, the oldest decided ones go early. */
const MAX_IDENTITIES = 100_000;
/** What the replies of decided ones hold at most; the same happens beyond. */
const MAX_REPLY_BYTES = 128 * 1024 * 1024;

interface Entry {
  readonly fingerprint: string;
  state:
    | { readonly kind: 'under way'; readonly reply: Promise<Reply | undefined> }
    | { readonly kind: 'decided'; readonly reply: Reply; readonly bytes: number; readonly untilMs: number };
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
  // A map keeps the order of insertion, and an entry is inserted anew when it is decided: the oldest come first.
  readonly #entries = new Map<string, Entry>();
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
    return entry.fingerprint === fingerprint ? entry.state : { kind: 'conflict' };
  }

  #begin(identity: string, fingerprint: string): MemoryClaim {
    const { promise, resolve } = Promise.withResolvers<Reply | undefined>();
    const entry: Entry = { fingerprint, state: { kind: 'under way', reply: promise } };
    this.#drop(identity);
    this.#entries.set(identity, entry);
    this.#forget();
    const release = (reply?: Reply): void => {
      this.#drop(identity);
      resolve(reply);
    };
    const settle = (reply: Reply): void => {
      release(reply);
      if (!isDecision(reply)) return;
      const bytes = replyBytes(reply);
      entry.state = { kind: 'decided', reply, bytes, untilMs: this.#nowMs() + this.#ttlMs };
      this.#entries.set(identity, entry);
      this.#replyBytes += bytes;
    };
    return { kind: 'mine', settle, release };
  }

  /** Drops what is over, and the oldest decisions where there are too many. */
  #forget(): void {
    const nowMs = this.#nowMs();
    for (const [identity, entry] of this.#entries) {
      // What is under way is bounded by the prefetch, and may stand before what is over.
      if (entry.state.kind === 'under way') continue;
      if (!this.#isTooFull && !isOver(entry, nowMs)) break;
      this.#drop(identity);
    }
  }

  get #isTooFull(): boolean {
    return this.#entries.size > MAX_IDENTITIES || this.#replyBytes > MAX_REPLY_BYTES;
  }

  #drop(identity: string): void {
    const state = this.#entries.get(identity)?.state;
    if (state?.kind === 'decided') this.#replyBytes -= state.bytes;
    this.#entries.delete(identity);
  }
}

function isOver({ state }: Entry, nowMs: number): boolean {
  return state.kind === 'decided' && state.untilMs <= nowMs;
}
