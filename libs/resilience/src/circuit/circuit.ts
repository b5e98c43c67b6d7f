import type { Clock, Random } from '../clock.ts';
import { Breaker, type CircuitSettings } from './breaker.ts';

export type CircuitState = 'closed' | 'half-open' | 'open';

/** What a call says about the health of the other side; `ignored` is nothing, for example if its deadline cut it off. */
export type Health = 'healthy' | 'unhealthy' | 'ignored';

/** Permission to make one call, settled once when the call has ended. */
export interface CircuitPass {
  /** @param cause of what is unhealthy, in a word or two, such as `HTTP 503` */
  settle(health: Health, cause?: string): void;
}

export interface CircuitSources {
  readonly clock: Clock;
  readonly random: Random;
  /** Called with the cause of the last unhealthy call, unless the circuit closes. */
  readonly onChange: (state: CircuitState, cause: string | undefined) => void;
}

type Mode =
  | { readonly state: 'closed'; readonly pass: CircuitPass }
  | { readonly state: 'open'; readonly probeAtMs: number }
  | { readonly state: 'half-open'; probe: CircuitPass | undefined };

/** `retryAfterMs` while a probe is in flight: nobody knows when it ends. */
const PROBE_IN_FLIGHT_MS = 1000;

/**
 * Is the circuit open? One circuit guards one operation of one operator.
 *
 * A pass is valid while the circuit is closed, or for one probe; what is settled later says nothing about the present.
 * Half-open lets one probe through at a time; a probe that is ignored makes room for the next.
 */
export class Circuit {
  readonly #sources: CircuitSources;
  readonly #breaker: Breaker;
  #mode: Mode;
  #cause: string | undefined;

  constructor(settings: CircuitSettings, sources: CircuitSources) {
    this.#sources = sources;
    this.#breaker = new Breaker({
      ...settings,
      clock: sources.clock,
      random: sources.random,
      onOpen: (waitMs) => this.#become({ state: 'open', probeAtMs: sources.clock() + waitMs }),
      onHalfOpen: () => this.#become({ state: 'half-open', probe: undefined }),
      onClose: () => this.#become({ state: 'closed', pass: this.#newPass() }),
    });
    this.#mode = { state: 'closed', pass: this.#newPass() };
  }

  get state(): CircuitState {
    return this.#mode.state;
  }

  /** Of the last unhealthy call; `undefined` while the circuit is closed. */
  get cause(): string | undefined {
    return this.#mode.state === 'closed' ? undefined : this.#cause;
  }

  /** Until a call may go through; 0 while one may. */
  get retryAfterMs(): number {
    const mode = this.#mode;
    if (mode.state === 'open') return Math.max(1, Math.ceil(mode.probeAtMs - this.#sources.clock()));
    return mode.state === 'half-open' && mode.probe ? PROBE_IN_FLIGHT_MS : 0;
  }

  /** Whether `enter` would give a pass. */
  get isPassable(): boolean {
    return this.retryAfterMs === 0;
  }

  /** @returns `undefined` if the call must not be made */
  enter(): CircuitPass | undefined {
    const mode = this.#mode;
    if (mode.state === 'closed') return mode.pass;
    if (mode.state === 'open' || mode.probe !== undefined) return undefined;
    mode.probe = this.#newPass();
    return mode.probe;
  }

  /** Stops its timer; it is not used afterwards. */
  shutdown(): void {
    this.#breaker.shutdown();
  }

  #newPass(): CircuitPass {
    const pass: CircuitPass = { settle: (health, cause) => this.#settle(pass, health, cause) };
    return pass;
  }

  #settle(pass: CircuitPass, health: Health, cause: string | undefined): void {
    const mode = this.#mode;
    if (mode.state === 'closed' && mode.pass === pass) {
      if (health !== 'ignored') this.#report(health, cause);
    } else if (mode.state === 'half-open' && mode.probe === pass) {
      if (health === 'ignored') mode.probe = undefined;
      else this.#report(health, cause);
    }
  }

  #report(health: Exclude<Health, 'ignored'>, cause: string | undefined): void {
    if (health === 'unhealthy') this.#cause = cause;
    this.#breaker.report(health);
  }

  #become(mode: Mode): void {
    this.#mode = mode;
    this.#sources.onChange(mode.state, this.cause);
  }
}
