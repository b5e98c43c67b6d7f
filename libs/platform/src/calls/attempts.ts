import type { Dispatcher } from 'undici';

import type { Admission, Admittance, Circuit, CircuitPass, Clock, Compartment } from '#resilience';

import type { CallContext } from '../call-context.ts';
import { type Operation, OPERATION_TRAITS } from '../operations.ts';
import type { PlatformObserver } from '../platform-observer.ts';
import type { Connections } from '../transport/connections.ts';
import type { Exchange, ExchangeEnd } from '../transport/exchange.ts';
import type { TransportFault } from '../transport/transport-fault.ts';
import { type ClassifiedAttempt, classifyAttempt, CUT_OFF, type Outcome } from './classify-attempt.ts';

/** The outcome of an attempt at once if it is known at once, else a promise of it. */
export type Attempt = Outcome | Promise<Outcome>;

export interface AttemptsOptions {
  readonly operation: Operation;
  /** Signed. */
  readonly request: Dispatcher.DispatchOptions;
  readonly connections: Connections;
  readonly exchange: Exchange;
  readonly circuit: Circuit;
  readonly admission: Admission;
  /** Of the operation. */
  readonly compartment: Compartment;
  readonly timeoutMs: number;
  readonly observer: PlatformObserver;
  readonly clock: Clock;
}

const TIMEOUTS: ReadonlySet<TransportFault> = new Set(['timeout', 'proxy-timeout']);

/** The attempts of one call, each through admission and circuit to an exchange. */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #call: CallContext;

  constructor(options: AttemptsOptions, call: CallContext) {
    this.#options = options;
    this.#call = call;
  }

  make(): Attempt {
    const { circuit, admission, compartment } = this.#options;
    if (!circuit.isPassable) return circuitOpen(circuit);
    const admittance = admission.enter(compartment, this.#call.deadline);
    return typeof admittance === 'string'
      ? this.#enterCircuit(admittance)
      : admittance.then((later) => this.#enterCircuit(later));
  }

  /** The circuit may have opened, and the deadline passed, while the call waited for its admission. */
  #enterCircuit(admittance: Admittance): Attempt {
    if (admittance !== 'admitted') return rejection(admittance);
    const { circuit, admission, compartment } = this.#options;
    const pass = circuit.enter();
    const remainingMs = this.#call.deadline.remainingMs();
    if (pass !== undefined && remainingMs > 0) return this.#exchange(pass, remainingMs);
    pass?.settle(CUT_OFF.health);
    admission.leave(compartment);
    return pass === undefined ? circuitOpen(circuit) : CUT_OFF.outcome;
  }

  /** Settles the pass and leaves the admission when the exchange has ended. */
  #exchange(pass: CircuitPass, remainingMs: number): Promise<Outcome> {
    const { operation, request, connections, exchange, admission, compartment, observer } = this.#options;
    const { maxAnswerBytes } = OPERATION_TRAITS[operation];
    const timeoutMs = Math.min(this.#options.timeoutMs, remainingMs);
    this.#call.attempts += 1;
    const startedAtMs = performance.now();
    return new Promise((resolve) => {
      exchange(connections, request, { timeoutMs, maxAnswerBytes }, (end) => {
        const { outcome, health, result } = this.#classify(end, remainingMs);
        pass.settle(health);
        admission.leave(compartment);
        observer.attemptEnded(operation, result, performance.now() - startedAtMs);
        resolve(outcome);
      });
    });
  }

  #classify(end: ExchangeEnd, remainingMs: number): ClassifiedAttempt {
    const { timeoutMs, clock } = this.#options;
    if (end.kind === 'answer') return classifyAttempt(end, clock);
    // A timer may fire a moment before the clock agrees.
    const isTimeOfDeadline = remainingMs <= timeoutMs && TIMEOUTS.has(end.fault);
    return isTimeOfDeadline || this.#call.deadline.expired ? CUT_OFF : classifyAttempt(end, clock);
  }
}

function circuitOpen({ retryAfterMs }: Circuit): Outcome {
  return { kind: 'rejected', fault: { kind: 'circuit-open', retryAfterMs } };
}

function rejection(admittance: Exclude<Admittance, 'admitted'>): Outcome {
  return admittance === 'expired' ? { kind: 'expired' } : { kind: 'rejected', fault: { kind: admittance } };
}
