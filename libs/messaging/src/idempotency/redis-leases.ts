import type { Reply } from '#contracts';

import { type RedisIdentities, RENEWED_EACH } from './redis-identities.ts';
import { replyBytes } from './reply-bytes.ts';

/** Settlements kept for a Redis that is away; beyond, the oldest are forgotten. */
const MAX_OWED = 10_000;
/** What their replies hold at most; the same happens beyond. */
const MAX_OWED_BYTES = 32 * 1024 * 1024;

interface Settlement {
  readonly fingerprint: string;
  readonly reply: Reply;
  readonly bytes: number;
  readonly untilMs: number;
}

export interface RedisLeasesOptions {
  readonly identities: Pick<RedisIdentities, 'settle' | 'renew'>;
  readonly leaseMs: number;
  /** How long a decision is kept. */
  readonly ttlMs: number;
  readonly nowMs: () => number;
}

/**
 * What this worker holds in Redis: its claims, renewed by one timer while there are any, so that a dead worker's
 * pass on; and the settlements that Redis was away for, which it gets when it is back.
 */
export class RedisLeases {
  readonly #options: RedisLeasesOptions;
  /** Fingerprints by key. As many as there are commands in hand. */
  readonly #held = new Map<string, string>();
  readonly #owed = new Map<string, Settlement>();
  #owedBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RedisLeasesOptions) {
    this.#options = options;
  }

  /** Keeps a claim alive until it is settled, also one that Redis has not heard of. */
  hold(key: string, fingerprint: string): void {
    this.#paid(key);
    this.#held.set(key, fingerprint);
    this.#timer ??= setInterval(() => void this.#renew(), this.#options.leaseMs * RENEWED_EACH).unref();
  }

  /** Lets a claim run out that ended without a reply. */
  release(key: string): void {
    this.#held.delete(key);
    if (this.#held.size === 0) this.#stop();
  }

  /** Never rejects. */
  async settle(key: string, fingerprint: string, reply: Reply): Promise<void> {
    const { identities, ttlMs, nowMs } = this.#options;
    this.release(key);
    const untilMs = nowMs() + ttlMs;
    if ((await identities.settle(key, fingerprint, reply, ttlMs)) !== undefined) return;
    this.#owe(key, { fingerprint, reply, bytes: replyBytes(reply), untilMs });
  }

  /** Tells a Redis that is back what it missed. */
  async catchUp(): Promise<void> {
    await this.#renew();
    const { identities, nowMs } = this.#options;
    for (const [key, settlement] of this.#owed) {
      const ttlMs = settlement.untilMs - nowMs();
      if (ttlMs > 0) {
        const settled = await identities.settle(key, settlement.fingerprint, settlement.reply, ttlMs);
        if (settled === undefined) return;
      }
      if (this.#owed.get(key) === settlement) this.#paid(key);
    }
  }

  close(): void {
    this.#stop();
    for (const key of this.#owed.keys()) this.#paid(key);
  }

  #owe(key: string, settlement: Settlement): void {
    // Claimed anew meanwhile: that claim will be settled.
    if (this.#held.has(key)) return;
    this.#paid(key);
    this.#owed.set(key, settlement);
    this.#owedBytes += settlement.bytes;
    for (const oldest of this.#owed.keys()) {
      if (this.#owed.size <= MAX_OWED && this.#owedBytes <= MAX_OWED_BYTES) break;
      this.#paid(oldest);
    }
  }

  #paid(key: string): void {
    this.#owedBytes -= this.#owed.get(key)?.bytes ?? 0;
    this.#owed.delete(key);
  }

  #renew(): Promise<void> {
    return this.#options.identities.renew(this.#held);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
