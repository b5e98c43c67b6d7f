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

export type CircuitState = 'closed' | 'half-open' | 'open';

/** What a call said about the health of the other side; a refusal, a cancellation or a deadline says nothing. */
export type Verdict = 'healthy' | 'unhealthy' | 'says-nothing';

/** Leave to make one call; it is given back by one verdict. */
export interface CircuitPass {
  settle(verdict: Verdict): void;
}

export interface CircuitSources {
  readonly clock: Clock;
  readonly random: Random;
  readonly onChange: (state: CircuitState) => void;
}

type Phase =
  | { readonly state: 'closed'; readonly pass: CircuitPass }
  | { readonly state: 'open'; readonly probeAtMs: number }
  | { readonly state: 'half-open'; probe: CircuitPass | undefined };

const BUCKETS = 10;
/** The other workers must not probe at the same moment. */
const JITTER = 0.2;
/** opossum opens above its threshold; the setting means from it on. */
const JUST_BELOW = 1e-6;
/** Told to whom a probe under way holds back: its outcome decides, and it is not known when. */
const PROBE_UNDER_WAY_MS = 1000;

/**
 * Is the circuit open? One circuit guards one operation of one operator.
 *
 * opossum counts and decides; here is decided what reaches it. A verdict is fired when a call has ended, so that it
 * stands in one bucket with its call, and only where it speaks of the present opening or closing: a late one is
 * dropped. Half-open lets one probe through at a time; one that says nothing makes room for the next. The window moves
 * by the given clock, without a timer of its own; the wait for the first probe is one timer, which keeps no process alive.
 */
export class Circuit {
  readonly #sources: CircuitSources;
  readonly #openMs: number;
  readonly #bucketMs: number;
  readonly #rotation = new EventEmitter();
  /** opossum reads the wait from here each time it opens. */
  readonly #options: CircuitBreaker.Options<[Verdict]>;
  readonly #breaker: CircuitBreaker<[Verdict], Verdict>;
  #rotatedAtMs: number;
  #phase: Phase;

  constructor({ failureRate, minimumCalls, windowMs, openMs }: CircuitSettings, sources: CircuitSources) {
    this.#sources = sources;
    this.#openMs = openMs;
    this.#bucketMs = Math.max(1, Math.floor(windowMs / BUCKETS));
    this.#rotatedAtMs = sources.clock();
    this.#options = {
      timeout: false,
      errorThresholdPercentage: failureRate - JUST_BELOW,
      volumeThreshold: minimumCalls,
      rollingCountTimeout: windowMs,
      rollingCountBuckets: BUCKETS,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
      rotateBucketController: this.#rotation,
      resetTimeout: this.#nextWaitMs(),
    };
    this.#breaker = new CircuitBreaker(replay, this.#options);
    this.#breaker.on('open', () => this.#opened());
    this.#breaker.on('halfOpen', () => this.#become({ state: 'half-open', probe: undefined }));
    this.#breaker.on('close', () => {
      this.#forget();
      this.#become({ state: 'closed', pass: this.#newPass() });
    });
    this.#phase = { state: 'closed', pass: this.#newPass() };
  }

  get state(): CircuitState {
    return this.#phase.state;
  }

  /** Until a call may go through; 0 while one may. */
  get retryAfterMs(): number {
    const phase = this.#phase;
    if (phase.state === 'open') return Math.max(1, Math.ceil(phase.probeAtMs - this.#sources.clock()));
    return phase.state === 'half-open' && phase.probe ? PROBE_UNDER_WAY_MS : 0;
  }

  /** Whether `enter` would give a pass; asks for none. */
  get isPassable(): boolean {
    return this.retryAfterMs === 0;
  }

  /** @returns `undefined` where the call must not be made */
  enter(): CircuitPass | undefined {
    const phase = this.#phase;
    if (phase.state === 'closed') return phase.pass;
    if (phase.state === 'open' || phase.probe !== undefined) return undefined;
    phase.probe = this.#newPass();
    return phase.probe;
  }

  /** Stops its timer; it is not used afterwards. */
  shutdown(): void {
    this.#breaker.shutdown();
  }

  #newPass(): CircuitPass {
    const pass: CircuitPass = { settle: (verdict) => this.#settle(pass, verdict) };
    return pass;
  }

  #settle(pass: CircuitPass, verdict: Verdict): void {
    const phase = this.#phase;
    if (phase.state === 'closed' && phase.pass === pass) {
      if (verdict === 'healthy') this.#count();
      else if (verdict === 'unhealthy') this.#fire(verdict);
    } else if (phase.state === 'half-open' && phase.probe === pass) {
      if (verdict === 'says-nothing') phase.probe = undefined;
      else this.#fire(verdict);
    }
  }

  /** A success changes nothing in a closed circuit but the number of calls, which opossum takes from its own event. */
  #count(): void {
    this.#moveWindow();
    this.#breaker.emit('fire');
  }

  #fire(verdict: Verdict): void {
    this.#moveWindow();
    this.#breaker.fire(verdict).catch(ignore);
  }

  #moveWindow(): void {
    const buckets = Math.floor((this.#sources.clock() - this.#rotatedAtMs) / this.#bucketMs);
    if (buckets <= 0) return;
    this.#rotatedAtMs += buckets * this.#bucketMs;
    this.#rotate(buckets);
  }

  /** Else the failures that opened it would open it again at the first one after its closing. */
  #forget(): void {
    this.#rotatedAtMs = this.#sources.clock();
    this.#rotate(BUCKETS);
  }

  #rotate(buckets: number): void {
    for (let left = Math.min(buckets, BUCKETS); left > 0; left -= 1) this.#rotation.emit('rotate');
  }

  #opened(): void {
    const waitMs = this.#options.resetTimeout ?? this.#openMs;
    this.#options.resetTimeout = this.#nextWaitMs();
    this.#become({ state: 'open', probeAtMs: this.#sources.clock() + waitMs });
  }

  #become(phase: Phase): void {
    this.#phase = phase;
    this.#sources.onChange(phase.state);
  }

  #nextWaitMs(): number {
    return Math.round(this.#openMs * (1 - JITTER + 2 * JITTER * this.#sources.random()));
  }
}

/**
 * What opossum guards: a call that has ended already. It throws at once, so that the circuit is open before the next
 * call is let in; what it gives has to be a promise, since opossum takes a missing `then` for a failure.
 */
function replay(verdict: Verdict): Promise<Verdict> {
  if (verdict === 'unhealthy') throw UNHEALTHY;
  return Promise.resolve(verdict);
}

const UNHEALTHY = new Error('unhealthy');

function ignore(): void {}
