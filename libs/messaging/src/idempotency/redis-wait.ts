import { setTimeout as sleep } from 'node:timers/promises';

import type { Reply } from '#contracts';

import type { Standing } from './redis-identities.ts';

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

export interface RedisWait {
  /** What stands; `undefined` while Redis is away. */
  readonly look: () => Promise<Standing | undefined>;
  /** Takes the identity from a holder that is dead, asked at each look with its connection; whether it did. */
  readonly freeFromDead?: (connection: string) => Promise<boolean>;
  readonly leaseMs: number;
  readonly nowMs: () => number;
  /** Default: a timer that does not keep the process alive. */
  readonly pause?: (durationMs: number) => Promise<unknown>;
}

/**
 * The reply of the worker that holds an identity, or `undefined` once its lease or itself is gone. While Redis is away the
 * lease runs on: a hiccup is no reason to do anything twice. It ends because the holder does, by its own deadline
 * or with its lease.
 */
export async function replyOfHolder({
  look,
  freeFromDead = () => Promise.resolve(false),
  leaseMs,
  nowMs,
  pause = pauseQuietly,
}: RedisWait): Promise<Reply | undefined> {
  let seenAtMs = nowMs();
  for (let looks = 0; nowMs() - seenAtMs <= leaseMs; looks += 1) {
    await pause(pauseMs(looks));
    const standing = await look();
    if (standing?.kind === 'under way') {
      seenAtMs = nowMs();
      if (await freeFromDead(standing.connection)) return undefined;
    } else if (standing) return standing.kind === 'replied' ? standing.reply : undefined;
  }
  return undefined;
}

/** How long to wait before looking again, after so many looks. */
function pauseMs(looks: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** looks);
}

function pauseQuietly(durationMs: number): Promise<unknown> {
  return sleep(durationMs, undefined, { ref: false });
}
