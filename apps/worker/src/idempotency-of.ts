import { randomUUID } from 'node:crypto';

import {
  type IdempotencyStore,
  MemoryIdempotencyStore,
  RedisIdempotencyStore,
  type RedisState,
} from '#messaging';
import type { Settings } from '#settings';
import type { Logger } from '#telemetry';

/** Deduplicates within this worker, or over all workers if `REDIS_URL` is set. */
export function idempotencyOf(settings: Settings, logger: Logger): IdempotencyStore {
  if (settings.REDIS_URL === undefined) {
    return new MemoryIdempotencyStore(settings.IDEMPOTENCY_TTL_MS, Date.now);
  }
  return new RedisIdempotencyStore({
    url: settings.REDIS_URL,
    prefix: settings.AMQP_PREFIX,
    ttlMs: settings.IDEMPOTENCY_TTL_MS,
    nowMs: Date.now,
    random: Math.random,
    newId: randomUUID,
    onState: (state) => logState(logger, state),
  });
}

function logState(logger: Logger, state: RedisState): void {
  if (state.kind === 'available') logger.info('Redis connected; deduplication is shared');
  else logger.warn({ redis: state }, 'Redis is away; each worker deduplicates by itself');
}
