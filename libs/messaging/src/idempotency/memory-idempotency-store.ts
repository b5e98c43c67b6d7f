import type { Reply } from '#contracts';

import { canonicalContent, type CommandContent } from '../envelope/fingerprint.ts';
import { ANONYMOUS } from '../envelope/reply-address.ts';
import { type Claim, type ClaimOrigin, IdempotencyStore, standing } from './idempotency-store.ts';

/** The maximum for all outcomes. Beyond it, the caller with the largest share loses its oldest ones early. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The memory of an outcome apart from its JSON: some 250 bytes, and its identity. */
const OVERHEAD_BYTES = 512;
/**
 * Outcomes are stored in slabs of their own. In Node's pool, each would retain unrelated short-lived buffers.
 */
const SLAB_BYTES = 16 * 1024;
/** A longer outcome gets its own buffer: in a slab, it could waste half of it. */
const LONG_BYTES = 2 * 1024;
/** The expiry time before the JSON, so that expired outcomes are dropped without parsing them. */
const UNTIL_BYTES = 8;
const SWEEP_EVERY_MS = 1_000;

interface Running {
  readonly asked: CommandContent;
  waiting: PromiseWithResolvers<Reply | undefined> | undefined;
}

/** The content of a command and its reply. The content is compared only if the identity is claimed again. */
type Outcome = [type: CommandContent['type'], data: CommandContent['data'], reply: Reply];

/** The outcomes of one caller. */
interface Log {
  /**
   * Expiry time and JSON by identity, oldest first. They are outside the heap, which V8 lets grow to several
   * times its live size.
   */
  readonly outcomes: Map<string, Buffer>;
  bytes: number;
}

/**
 * The identities of one worker, in its memory. Callers share the memory fairly: the caller with the largest
 * share loses its own oldest outcomes, so a flood of one caller does not make the worker forget the commands
 * of another.
 */
export class MemoryIdempotencyStore extends IdempotencyStore {
  readonly #running = new Map<string, Running>();
  /** Keyed by caller. */
  readonly #logs = new Map<string, Log>();
  readonly #ttlMs: number;
  readonly #nowMs: () => number;
  readonly #maxBytes: number;
  /** The bytes of all outcomes. */
  #bytes = 0;
  #sweepAtMs = 0;
  /** Unused bytes of the current slab. */
  #slab = Buffer.alloc(0);

  /** @param maxBytes default 64 MiB */
  constructor(ttlMs: number, nowMs: () => number, maxBytes = MAX_BYTES) {
    super();
    this.#ttlMs = ttlMs;
    this.#nowMs = nowMs;
    this.#maxBytes = maxBytes;
  }

  claim(
    identity: string,
    asked: CommandContent,
    { caller = ANONYMOUS, isRedelivered = false }: ClaimOrigin = {},
  ): Claim {
    const running = this.#running.get(identity);
    if (running) {
      if (!isSame(running.asked, asked)) return { kind: 'conflict' };
      running.waiting ??= Promise.withResolvers();
      return { kind: 'in flight', outcome: running.waiting.promise };
    }
    let log = this.#logs.get(caller);
    if (!log) this.#logs.set(caller, (log = { outcomes: new Map(), bytes: 0 }));
    const stored = log.outcomes.get(identity);
    if (stored && untilMsOf(stored) > this.#nowMs()) {
      const [type, data, reply] = JSON.parse(stored.toString('utf8', UNTIL_BYTES)) as Outcome;
      const found = standing(reply, isSame({ type, data }, asked), isRedelivered);
      if (found) return found;
    }
    const entry: Running = { asked, waiting: undefined };
    this.#running.set(identity, entry);
    const release = (reply?: Reply): void => {
      this.#running.delete(identity);
      entry.waiting?.resolve(reply);
    };
    const settle = (reply: Reply): Reply => {
      if (stored) this.#drop(log, identity);
      this.#keep(log, identity, [asked.type, asked.data, reply]);
      release(reply);
      return reply;
    };
    return { kind: 'claimed', settle, release };
  }

  #keep(log: Log, identity: string, outcome: Outcome): void {
    const bytes = this.#write(JSON.stringify(outcome));
    log.outcomes.set(identity, bytes);
    this.#count(log, bytes.length + OVERHEAD_BYTES);
    this.#sweepIfDue();
    while (this.#bytes > this.#maxBytes) {
      const all = [...this.#logs.values()];
      const largest = all.reduce((found, next) => (next.bytes > found.bytes ? next : found));
      const [oldest = ''] = largest.outcomes.keys();
      this.#drop(largest, oldest);
    }
  }

  #write(text: string): Buffer {
    const length = UNTIL_BYTES + Buffer.byteLength(text);
    const isLong = length > LONG_BYTES;
    if (!isLong && length > this.#slab.length) this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    const bytes = isLong ? Buffer.allocUnsafeSlow(length) : this.#slab.subarray(0, length);
    if (!isLong) this.#slab = this.#slab.subarray(length);
    bytes.writeDoubleLE(this.#nowMs() + this.#ttlMs);
    bytes.write(text, UNTIL_BYTES);
    return bytes;
  }

  #drop(log: Log, identity: string): void {
    const bytes = log.outcomes.get(identity)?.length;
    if (bytes !== undefined) this.#count(log, -bytes - OVERHEAD_BYTES);
    log.outcomes.delete(identity);
  }

  #count(log: Log, bytes: number): void {
    log.bytes += bytes;
    this.#bytes += bytes;
  }

  #sweepIfDue(): void {
    const nowMs = this.#nowMs();
    if (nowMs < this.#sweepAtMs) return;
    this.#sweepAtMs = nowMs + SWEEP_EVERY_MS;
    for (const log of this.#logs.values()) {
      for (const [identity, outcome] of log.outcomes) {
        if (untilMsOf(outcome) > nowMs) break;
        this.#drop(log, identity);
      }
    }
  }
}

function isSame(one: CommandContent, other: CommandContent): boolean {
  return canonicalContent(one) === canonicalContent(other);
}

function untilMsOf(outcome: Buffer): number {
  return outcome.readDoubleLE();
}
