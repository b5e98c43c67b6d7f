import { inspectRedis } from '#messaging/client';
import type { Settings } from '#settings';

import { fail, type Finding, ok, warn } from './finding.ts';

/** Redis, if the settings name one. */
export async function checkRedis({ REDIS_URL: url }: Pick<Settings, 'REDIS_URL'>): Promise<Finding[]> {
  if (url === undefined) {
    return [ok('Redis', 'REDIS_URL is not set: each worker recognises the repeats that it sees itself')];
  }
  const redis = await inspectRedis(url);
  if (redis.kind === 'away') {
    const advice =
      'check host, port, user and password in REDIS_URL; workers go on, each with a memory of its own';
    return [fail('Redis', `does not answer: ${redis.reason}`, advice)];
  }
  if (!redis.mayEvict) return [ok('Redis', 'answers')];
  const message = `may remove identities before their time (maxmemory-policy ${redis.evictionPolicy})`;
  return [warn('Redis', message, 'set maxmemory-policy noeviction, or give this service a Redis of its own')];
}
