import { inspectRedis } from '#messaging/client';
import type { Settings } from '#settings';

import { type TLS_OF_REDIS, tlsOf } from '../input/tls-of.ts';

import { fail, type Finding, ok, warn } from './finding.ts';

export type RedisSettings = Pick<Settings, 'REDIS_URL' | (typeof TLS_OF_REDIS)[number]>;

/** Redis, if the settings name one. @throws SettingsError if a file of its TLS cannot be used */
export async function checkRedis(settings: RedisSettings): Promise<Finding[]> {
  const { REDIS_URL: url } = settings;
  if (url === undefined) {
    return [ok('Redis', 'REDIS_URL is not set: each worker recognises the repeats that it sees itself')];
  }
  const redis = await inspectRedis(url, tlsOf('REDIS', settings, [url]));
  if (redis.kind === 'away') {
    const advice =
      'check host, port, user and password in REDIS_URL; workers go on, each with a memory of its own';
    return [fail('Redis', `does not answer: ${redis.reason}`, advice)];
  }
  if (!redis.mayEvict) return [ok('Redis', 'answers')];
  const message = `may remove identities before their time (maxmemory-policy ${redis.evictionPolicy})`;
  return [warn('Redis', message, 'set maxmemory-policy noeviction, or give this service a Redis of its own')];
}
