import { EventEmitter } from 'node:events';

import CircuitBreaker from 'opossum';

import type { Clock, Random } from '../clock.ts';

export interface CircuitSettings {
  /** Percent of the calls in the window, 1 to 100; reached, it opens the circuit. */
  readonly failureRate: number;
  /** Fewer calls in the window never open it. */
  readonly minimumCalls: number;
  readonly windowMs: number;
  /** Until the first probe, give or take a fifth. */
  readonly openMs: number;
}

export interface BreakerOptions extends CircuitSettings {
  readonly clock: Clock;
  readonly random: Random;
  readonly onOpen: (waitMs: number) => void;
  readonly onHalfOpen: () => void;
  readonly onClose: () => void;
}

type Health = 'healthy' | 'unhealthy';

const BUCKETS = 10;
/** Other workers must not probe at the same moment. */
const JITTER = 0.2;
/** opossum opens above its threshold, and the setting means from the threshold on. */
const JUST_BELOW = 1e-6;

/**
 * opossum, which counts calls and decides when to open, to probe and to close.
 *
 * Its documentation wraps `fire` around the call. Here `fire` reports a call that has ended. Wrapped around the call,
 * opossum would close the circuit after a probe that was cancelled, since an error that `errorFilter` accepts counts as a
 * success, and after the late success of a call from before the opening. And it would count a call when it starts, but
 * its failure when it ends, so that calls longer than the window could open the circuit at any rate of failures.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #window: RollingWindow;
  /** opossum keeps this object, and reads `resetTimeout` from it each time it opens. */
  readonly #settings: CircuitBreaker.Options<[Health]>;
  readonly #opossum: CircuitBreaker<[Health], void>;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#window = new RollingWindow(options.windowMs, options.clock);
    this.#settings = {
      timeout: false,
      errorThresholdPercentage: options.failureRate - JUST_BELOW,
      volumeThreshold: options.minimumCalls,
      rollingCountTimeout: options.windowMs,
      rollingCountBuckets: BUCKETS,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
      rotateBucketController: this.#window,
      resetTimeout: this.#nextWaitMs(),
    };
    this.#opossum = new CircuitBreaker(endAs, this.#settings);
    this.#opossum.on('open', () => this.#opened());
    this.#opossum.on('halfOpen', options.onHalfOpen);
    this.#opossum.on('close', () => this.#closed());
  }

  /** Counts a call that has ended. A failure opens the breaker before this returns; a success closes it within the turn. */
  report(health: Health): void {
    this.#window.advance();
    this.#opossum.fire(health).catch(ignore);
  }

  /** Stops its timer; it is not used afterwards. */
  shutdown(): void {
    this.#opossum.shutdown();
  }

  #opened(): void {
    const waitMs = this.#settings.resetTimeout ?? this.#options.openMs;
    this.#settings.resetTimeout = this.#nextWaitMs();
    this.#options.onOpen(waitMs);
  }

  #closed(): void {
    // The failures that opened it would open it again at the next one.
    this.#window.clear();
    this.#options.onClose();
  }

  #nextWaitMs(): number {
    return Math.round(this.#options.openMs * (1 - JITTER + 2 * JITTER * this.#options.random()));
  }
}

/** Rotates opossum's buckets by a clock that is passed in; opossum itself would hold a timer for each circuit. */
class RollingWindow extends EventEmitter {
  readonly #clock: Clock;
  readonly #bucketMs: number;
  #rotatedAtMs: number;

  constructor(windowMs: number, clock: Clock) {
    super();
    this.#clock = clock;
    this.#bucketMs = Math.max(1, Math.floor(windowMs / BUCKETS));
    this.#rotatedAtMs = clock();
  }

  /** Drops the buckets that have left the window. */
  advance(): void {
    const buckets = Math.floor((this.#clock() - this.#rotatedAtMs) / this.#bucketMs);
    if (buckets <= 0) return;
    this.#rotatedAtMs += buckets * this.#bucketMs;
    this.#drop(buckets);
  }

  clear(): void {
    this.#rotatedAtMs = this.#clock();
    this.#drop(BUCKETS);
  }

  #drop(buckets: number): void {
    for (let left = Math.min(buckets, BUCKETS); left > 0; left -= 1) this.emit('rotate');
  }
}

/**
 * What opossum runs. It throws instead of rejecting, so that the circuit is open before the next call enters; and it
 * returns a promise, since opossum takes a missing `then` for a failure.
 */
function endAs(health: Health): Promise<void> {
  if (health === 'unhealthy') throw UNHEALTHY;
  return HEALTHY;
}

const UNHEALTHY = new Error('unhealthy');
const HEALTHY = Promise.resolve();

function ignore(): void {}
