import { EventEmitter } from 'node:events';

import CircuitBreaker from 'opossum';

import type { Clock, Random } from '../clock.ts';

export type CircuitState = 'closed' | 'half-open' | 'open';

/** What a call says about the health of the other side; `ignored` is nothing, for example if its deadline cut it off. */
export type Health = 'healthy' | 'unhealthy' | 'ignored';

export interface CircuitSettings {
  /** Percent of the calls in the window, 1 to 100; reached, it opens the circuit. */
  readonly failureRate: number;
  /** Fewer calls in the window never open it. */
  readonly minimumCalls: number;
  readonly windowMs: number;
  /** Until the first probe, give or take a fifth. */
  readonly openMs: number;
}

/** `retryAfterMs` while a probe is in flight: nobody knows when it ends. */
const PROBE_IN_FLIGHT_MS = 1000;
const BUCKETS = 10;
/** Other workers must not probe at the same moment. */
const JITTER = 0.2;
/** opossum opens above its threshold, and the setting means from the threshold on. */
const JUST_BELOW = 1e-6;

/**
 * Is the circuit open? One circuit guards one operation of one operator.
 *
 * A pass is a number, valid while the circuit is closed, or for one probe; a pass that is settled later says nothing about
 * the present. Half-open lets one probe through at a time; a probe that is ignored makes room for the next.
 *
 * opossum counts calls and decides when to open, to probe and to close. It is told of calls that have ended, and not wrapped
 * around them: it would close after a probe that was cancelled and after the late success of a call from before the opening,
 * and count a call when it starts but its failure when it ends, so that calls longer than the window could open it.
 */
export class Circuit {
  readonly #bucketMs: number;
  /** Rotates opossum's buckets by our clock; opossum itself would hold a timer for each circuit. */
  readonly #rotation = new EventEmitter();
  #rotatedAtMs: number;
  /** opossum keeps this object, and reads `resetTimeout` from it each time it opens. */
  readonly #options: CircuitBreaker.Options<[]> & { resetTimeout: number };
  readonly #opossum: CircuitBreaker<[], never>;
  /** When the next probe may come, while it is open. */
  #probeAtMs = 0;
  /** Only while it is half-open. */
  #isProbing = false;
  #pass = 0;
  #cause: string | undefined;
  /** When it last opened after it had been closed. */
  #openedAtMs: number | undefined;

  /** @param onChange called with the cause of the last unhealthy call, unless the circuit closes */
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
      // The failures that opened it would open it again at the next one.
      this.#rotate(BUCKETS);
      this.#rotatedAtMs = clock();
      this.#changed();
    });
  }

  get state(): CircuitState {
    if (this.#opossum.opened) return 'open';
    return this.#opossum.halfOpen ? 'half-open' : 'closed';
  }

  /** What the last unhealthy call ended with; `undefined` while the circuit is closed. */
  get cause(): string | undefined {
    return this.state === 'closed' ? undefined : this.#cause;
  }

  /** How long it has not been closed, in milliseconds; `undefined` while it is. */
  get openForMs(): number | undefined {
    return this.#openedAtMs === undefined ? undefined : Math.round(this.clock() - this.#openedAtMs);
  }

  /** Until a call may go through; 0 while `enter` gives a pass. */
  get retryAfterMs(): number {
    if (this.#opossum.opened) return Math.max(1, Math.ceil(this.#probeAtMs - this.clock()));
    return this.#isProbing ? PROBE_IN_FLIGHT_MS : 0;
  }

  /** @returns a pass for one call, which is settled once the call has ended; `undefined` if it must not be made */
  enter(): number | undefined {
    if (this.#opossum.opened || this.#isProbing) return undefined;
    this.#isProbing = this.#opossum.halfOpen;
    return this.#pass;
  }

  /** @param cause of what is unhealthy, in a word or two, such as `HTTP 503` */
  settle(pass: number, health: Health, cause?: string): void {
    if (pass !== this.#pass) return;
    this.#isProbing = false;
    if (health === 'ignored') return;
    this.#rotate(Math.floor((this.clock() - this.#rotatedAtMs) / this.#bucketMs));
    if (health === 'unhealthy') {
      this.#cause = cause;
      // It opens the circuit before this returns.
      this.#opossum.fire().catch(() => undefined);
    } else {
      // The events of a success, by which opossum counts and closes; around an action, `fire` would make six promises for them.
      this.#opossum.emit('fire');
      this.#opossum.emit('success');
    }
  }

  /** Stops its timer; it is not used afterwards. */
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

  /** With a new jitter for every opening. */
  #nextWaitMs(): number {
    return Math.round(this.settings.openMs * (1 - JITTER + 2 * JITTER * this.random()));
  }
}

/** What opossum runs. It throws instead of rejecting, so that the circuit is open before the next call enters. */
function fail(): never {
  throw new Error('unhealthy');
}
