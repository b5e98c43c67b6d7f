import type { Clock, Random } from '../clock.ts';
import { Breaker, type CircuitSettings } from './breaker.ts';

export type CircuitState = 'closed' | 'half-open' | 'open';

/** What a call says about the health of the other side; `ignored` is nothing, for example if its deadline cut it off. */
export type Health = 'healthy' | 'unhealthy' | 'ignored';

/** Permission to make one call, settled once when the call has ended. */
export interface CircuitPass {
  settle(health: Health): void;
}

export interface CircuitSources {
  readonly clock: Clock;
  readonly random: Random;
  readonly onChange: (state: CircuitState) => void;
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
    const pass: CircuitPass = { settle: (health) => this.#settle(pass, health) };
    return pass;
  }

  #settle(pass: CircuitPass, health: Health): void {
    const mode = this.#mode;
    if (mode.state === 'closed' && mode.pass === pass) {
      if (health !== 'ignored') this.#breaker.report(health);
    } else if (mode.state === 'half-open' && mode.probe === pass) {
      if (health === 'ignored') mode.probe = undefined;
      else this.#breaker.report(health);
    }
  }

  #become(mode: Mode): void {
    this.#mode = mode;
    this.#sources.onChange(mode.state);
  }
}
