import { RedisIdempotencyStore } from './idempotency/redis-idempotency-store.ts';
import type { Messaging } from './messaging.ts';
import { compartmentOf } from './pipeline/share.ts';

export type MessagingHealth = ReturnType<typeof messagingHealth>;

/** Returns the state of the bus as `/health` shows it. */
export function messagingHealth({ broker, idempotency, lanes, pipeline, prefetch, window }: Messaging) {
  const nowMs = Date.now();
  const { isConnected, isBlocked, lastError, release } = broker;
  return {
    isConnected,
    /** True while an alarm of the broker keeps replies from leaving. */
    isBlocked,
    /** The broker's last error; undefined if there is none. */
    lastError,
    /** For example `RabbitMQ 4.3.6`; undefined before the first connection. */
    release: release && `RabbitMQ ${release.version}`,
    /** Settings that the broker's administrator should check, because the service cannot read them. */
    advice: release?.advice,
    lanes: [...lanes].map(([lane, { state, inFlight }]) => ({
      lane,
      state,
      inFlight,
      /** The maximum of commands in flight. */
      prefetch: prefetch[lane],
      /** Milliseconds since the receipt of the oldest command in flight; 0 without one. */
      oldestAgeMs: Math.max(0, nowMs - (pipeline.oldestMs(lane) ?? nowMs)),
    })),
    /** The idempotency store that all workers share; undefined without `REDIS_URL`. */
    redis: idempotency instanceof RedisIdempotencyStore ? idempotency.state : undefined,
    /** The use of the interactive lane by each operation of each operator that has used it. */
    compartments: [...window.holdings].map(([key, { inFlight, overflowed }]) => ({
      ...compartmentOf(key),
      inFlight,
      /** Commands refused with `OVERLOADED` so far, because the compartment held its share. */
      overflowed,
    })),
  };
}
