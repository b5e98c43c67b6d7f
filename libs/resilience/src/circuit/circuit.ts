import { EventEmitter } from 'node:events';

import CircuitBreaker from 'opossum';

import type { Clock, Random } from '../clock.ts';

export type CircuitState = 'closed' | 'half-open' | 'open';

/**
 * The health of the other side as shown by a call; `ignored` if the call shows nothing, for example after its
 * deadline.
 */
export type Health = 'healthy' | 'unhealthy' | 'ignored';

export interface CircuitSettings {
  /** Percentage of failed calls in the window, 1 to 100, from which on the circuit opens. */
  readonly failureRate: number;
  /** With fewer calls in the window, the circuit never opens. */
  readonly minimumCalls: number;
  readonly windowMs: number;
  /** Time from the opening to the first probe, plus or minus a fifth. */
  readonly openMs: number;
}

/** `retryAfterMs` while a probe is in flight, because it is unknown when the probe ends. */
const PROBE_IN_FLIGHT_MS = 1000;
const BUCKETS = 10;
/** Keeps other workers from probing at the same time. */
const JITTER = 0.2;
/** opossum opens above its threshold, but the setting includes the threshold. */
const JUST_BELOW = 1e-6;

/**
 * A circuit breaker for one operation of one operator.
 *
 * A pass is a number that is valid while the circuit is closed, or for one probe. A pass that is settled
 * after a change of state is ignored. A half-open circuit lets one probe through at a time; after a probe
 * with the result `ignored`, it lets the next one through.
 *
 * opossum counts calls and decides when to open, probe and close. It does not wrap the calls but records them
 * when they end. If it wrapped them, a canceled probe would close the circuit, and so would the late success
 * of a call that began before the opening. It would also count a call at its start but the failure at its
 * end, so that calls longer than the window could open the circuit.
 */
export class Circuit {
  readonly #bucketMs: number;
  /** Rotates opossum's buckets by our clock; opossum itself would use a timer for each circuit. */
  readonly #rotation = new EventEmitter();
  #rotatedAtMs: number;
  /** opossum keeps this object, and reads `resetTimeout` from it each time it opens. */
  readonly #options: CircuitBreaker.Options<[]> & { resetTimeout: number };
  readonly #opossum: CircuitBreaker<[], never>;
  /** When the next probe is allowed; used while the circuit is open. */
  #probeAtMs = 0;
  /** True while a probe is in flight; the circuit is then half-open. */
  #isProbing = false;
  #pass = 0;
  #cause: string | undefined;
  /** When the circuit last left the closed state; `undefined` while it is closed. */
  #openedAtMs: number | undefined;

  /**
   * @param onChange called at each change of state, with the cause of the last unhealthy call unless the
   *   circuit closes
   */
  constructor(
    private readonly settings: CircuitSettings,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly onChange: (state: CircuitState, cause: string | undefined) => void,
  ) {
    const { failureRate, minimumCalls, windowMs } = settings;
    this.#bucketMs = Math.max(1, Math.floor(windowMs / BUCKETS));
    this.#rotatedAtMs = clock();
    this.#options = {
      timeout: false,
      errorThresholdPercentage: failureRate - JUST_BELOW,
      volumeThreshold: minimumCalls,
      rollingCountBuckets: BUCKETS,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
      rotateBucketController: this.#rotation,
      resetTimeout: this.#nextWaitMs(),
    };
    this.#opossum = new CircuitBreaker(fail, this.#options);
    this.#opossum.on('open', () => {
      this.#probeAtMs = clock() + this.#options.resetTimeout;
      this.#options.resetTimeout = this.#nextWaitMs();
      this.#changed();
    });
    this.#opossum.on('halfOpen', () => this.#changed());
    this.#opossum.on('close', () => {
      // Otherwise the failures that opened the circuit would reopen it at the next failure.
      this.#rotate(BUCKETS);
      this.#rotatedAtMs = clock();
      this.#changed();
    });
  }

  get state(): CircuitState {
    if (this.#opossum.opened) return 'open';
    return this.#opossum.halfOpen ? 'half-open' : 'closed';
  }

  /** The cause of the last unhealthy call; `undefined` while the circuit is closed. */
  get cause(): string | undefined {
    return this.state === 'closed' ? undefined : this.#cause;
  }

  /** Milliseconds since the circuit left the closed state; `undefined` while it is closed. */
  get openForMs(): number | undefined {
    return this.#openedAtMs === undefined ? undefined : Math.round(this.clock() - this.#openedAtMs);
  }

  /** Milliseconds until a call is allowed; 0 while `enter` returns a pass. */
  get retryAfterMs(): number {
    if (this.#opossum.opened) return Math.max(1, Math.ceil(this.#probeAtMs - this.clock()));
    return this.#isProbing ? PROBE_IN_FLIGHT_MS : 0;
  }

  /**
   * @returns a pass for one call, to be settled when the call ends; `undefined` if the call must not be made
   */
  enter(): number | undefined {
    if (this.#opossum.opened || this.#isProbing) return undefined;
    this.#isProbing = this.#opossum.halfOpen;
    return this.#pass;
  }

  /** @param cause why the call is unhealthy, in a word or two, such as `HTTP 503` */
  settle(pass: number, health: Health, cause?: string): void {
    if (pass !== this.#pass) return;
    this.#isProbing = false;
    if (health === 'ignored') return;
    this.#rotate(Math.floor((this.clock() - this.#rotatedAtMs) / this.#bucketMs));
    if (health === 'unhealthy') {
      this.#cause = cause;
      // `fire` opens the circuit synchronously.
      this.#opossum.fire().catch(() => undefined);
    } else {
      // opossum counts a success and closes by these events. `fire` would emit them as well, but creates six
      // promises.
      this.#opossum.emit('fire');
      this.#opossum.emit('success');
    }
  }

  /** Stops the timer. The circuit must not be used afterwards. */
  shutdown(): void {
    this.#opossum.shutdown();
  }

  #rotate(buckets: number): void {
    this.#rotatedAtMs += buckets * this.#bucketMs;
    for (let left = Math.min(buckets, BUCKETS); left > 0; left -= 1) this.#rotation.emit('rotate');
  }

  #changed(): void {
    this.#pass += 1;
    this.#openedAtMs = this.state === 'closed' ? undefined : (this.#openedAtMs ?? this.clock());
    this.onChange(this.state, this.cause);
  }

  /** Returns the wait before the next probe, with new jitter for each opening. */
  #nextWaitMs(): number {
    return Math.round(this.settings.openMs * (1 - JITTER + 2 * JITTER * this.random()));
  }
}

/**
 * The action that opossum runs. It throws instead of rejecting, so that the circuit is open before the next
 * call enters.
 */
function fail(): never {
  throw new Error('unhealthy');
}
