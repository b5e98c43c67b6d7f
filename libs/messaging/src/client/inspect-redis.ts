import { Redis } from 'ioredis';

import type { TlsContext } from '#tls';

import { reasonOf, redisOptions } from '../idempotency/redis-connection.ts';

const ANSWER_TIMEOUT_MS = 3_000;
/** Any other policy may remove an identity before its time. */
const KEEPS_ALL = new Set(['noeviction', 'volatile-ttl']);

/**
 * Connects to Redis once, asks it for an answer and for what it does when its memory is full.
 *
 * @returns `reason` holds neither credentials nor data
 */
export async function inspectRedis(url: string, tls: TlsContext) {
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
    const mayEvict = evictionPolicy !== undefined && !KEEPS_ALL.has(evictionPolicy);
    return { kind: 'available', evictionPolicy, mayEvict } as const;
  } catch (error) {
    return { kind: 'away', reason: reasonOf(firstError ?? error, tls) } as const;
  } finally {
    redis.disconnect();
  }
}
