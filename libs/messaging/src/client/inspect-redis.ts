import { Redis } from 'ioredis';

import type { TlsContext } from '#tls';

import { reasonOf, redisOptions } from '../idempotency/redis-connection.ts';

const ANSWER_TIMEOUT_MS = 3_000;
/** Any other policy may remove an identity before its time. */
const KEEPS_ALL = new Set(['noeviction', 'volatile-ttl']);

/** How Redis answered, or why it did not. */
export type RedisInspection =
  | { readonly kind: 'available'; readonly evictionPolicy?: string; readonly mayEvict: boolean }
  /** `reason` holds neither credentials nor data. */
  | { readonly kind: 'away'; readonly reason: string };

/** Connects to Redis once, asks it for an answer and for what it does when its memory is full. */
export async function inspectRedis(url: string, tls: TlsContext): Promise<RedisInspection> {
  const redis = new Redis(url, {
    ...redisOptions(url, tls),
    connectTimeout: ANSWER_TIMEOUT_MS,
    commandTimeout: ANSWER_TIMEOUT_MS,
    retryStrategy: () => null,
  });
  let firstError: unknown;
  redis.on('error', (error) => (firstError ??= error));
  try {
    // Workers do the same, and an account may be forbidden to.
    await redis.eval('return 1', 0);
    // An account may be forbidden to ask.
    const answer = await redis.config('GET', 'maxmemory-policy').catch(() => []);
    const [, evictionPolicy] = answer as readonly string[];
    if (evictionPolicy === undefined) return { kind: 'available', mayEvict: false };
    return { kind: 'available', evictionPolicy, mayEvict: !KEEPS_ALL.has(evictionPolicy) };
  } catch (error) {
    return { kind: 'away', reason: reasonOf(firstError ?? error, tls) };
  } finally {
    redis.disconnect();
  }
}
