import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

import { IdempotencyStore, RedisIdempotencyStore } from '#messaging';

/** Shown if deduplication is shared; never a reason for 503. */
@Injectable()
export class RedisHealth {
  readonly #indicators: HealthIndicatorService;
  readonly #store: IdempotencyStore;

  constructor(indicators: HealthIndicatorService, store: IdempotencyStore) {
    this.#indicators = indicators;
    this.#store = store;
  }

  /** None without `REDIS_URL`. */
  checks(): (() => HealthIndicatorResult)[] {
    const store = this.#store;
    return store instanceof RedisIdempotencyStore ? [() => this.#check(store)] : [];
  }

  #check({ state }: RedisIdempotencyStore): HealthIndicatorResult {
    const indicator = this.#indicators.check('redis');
    if (state.kind === 'available') return indicator.up();
    if (state.kind !== 'away') return indicator.degraded({ reason: state.kind });
    return indicator.degraded({ reason: state.reason, since: new Date(state.sinceMs).toISOString() });
  }
}
