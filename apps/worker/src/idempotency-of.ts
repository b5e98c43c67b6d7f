import { randomUUID } from 'node:crypto';

import {
  type IdempotencyStore,
  MemoryIdempotencyStore,
  RedisIdempotencyStore,
  type RedisState,
} from '#messaging';
import type { Settings } from '#settings';
import type { Logger } from '#telemetry';

/** What remembers the commands: this worker alone, or all workers where `REDIS_URL` is set. */
export function idempotencyOf(settings: Settings, logger: Logger): IdempotencyStore {
  if (settings.REDIS_URL === undefined) {
    return new MemoryIdempotencyStore(settings.IDEMPOTENCY_TTL_MS, Date.now);
  }
  return new RedisIdempotencyStore({
    url: settings.REDIS_URL,
    prefix: settings.AMQP_PREFIX,
    ttlMs: settings.IDEMPOTENCY_TTL_MS,
    nowMs: Date.now,
    newId: randomUUID,
    onState: (state) => tell(logger, state),
  });
}

function tell(logger: Logger, state: RedisState): void {
  if (state.kind === 'available') logger.info('repeats are known over all workers: Redis is there');
  else logger.warn({ redis: state }, 'repeats are known within this worker alone: Redis is away');
}
