import type { Dispatcher } from 'undici';

import type { Admission, Admittance, Circuit, CircuitPass, Compartment } from '#resilience';

import type { CallContext } from '../call-context.ts';
import { type Operation, OPERATION_TRAITS } from '../operations.ts';
import type { PlatformObserver, RefusalReason } from '../platform-observer.ts';
import type { AttemptFacts, AttemptTrace, PlatformTracer } from '../platform-tracer.ts';
import type { Connections } from '../transport/connections.ts';
import type { Exchange, ExchangeEnd } from '../transport/exchange.ts';
import type { TransportFault } from '../transport/transport-fault.ts';
import { type ClassifiedAttempt, classifyAttempt, CUT_OFF, type Outcome } from './classify-attempt.ts';

/** The outcome of an attempt at once if it is known at once, else a promise of it. */
export type Attempt = Outcome | Promise<Outcome>;

export interface AttemptsOptions extends Omit<AttemptFacts, 'resends'> {
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
  readonly tracer: PlatformTracer | undefined;
}

const TIMEOUTS: ReadonlySet<TransportFault> = new Set(['timeout', 'proxy-timeout']);

/** The attempts of one call, each through admission and circuit to an exchange. */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #call: CallContext;
  #made = 0;

  constructor(options: AttemptsOptions, call: CallContext) {
    this.#options = options;
    this.#call = call;
  }

  make(): Attempt {
    const { circuit, admission, compartment } = this.#options;
    if (!circuit.isPassable) return this.#refuse('circuit-open');
    const admittance = admission.enter(compartment, this.#call.deadline);
    return typeof admittance === 'string' ? this.#enterCircuit(admittance) : this.#wait(admittance);
  }

  async #wait(admittance: Promise<Admittance>): Promise<Outcome> {
    const { observer, operation } = this.#options;
    const startedAtMs = performance.now();
    const later = await admittance;
    observer.admissionWaited(operation, performance.now() - startedAtMs);
    return this.#enterCircuit(later);
  }

  /** The circuit may have opened, and the deadline passed, while the call waited for its admission. */
  #enterCircuit(admittance: Admittance): Attempt {
    if (admittance !== 'admitted') return this.#refuse(admittance);
    const { circuit, admission, compartment } = this.#options;
    const pass = circuit.enter();
    const remainingMs = this.#call.deadline.remainingMs();
    if (pass !== undefined && remainingMs > 0) return this.#exchange(pass, remainingMs);
    pass?.settle(CUT_OFF.health);
    admission.leave(compartment);
    return pass === undefined ? this.#refuse('circuit-open') : CUT_OFF.outcome;
  }

  #refuse(reason: RefusalReason): Outcome {
    const { observer, operation, circuit } = this.#options;
    observer.attemptRefused(operation, reason);
    if (reason === 'expired') return { kind: 'expired' };
    const { retryAfterMs, cause } = circuit;
    return {
      kind: 'rejected',
      fault: reason === 'circuit-open' ? { kind: reason, retryAfterMs, cause } : { kind: reason },
    };
  }

  /** Settles the pass and leaves the admission when the exchange has ended. */
  #exchange(pass: CircuitPass, remainingMs: number): Promise<Outcome> {
    const { operation, request, connections, exchange, admission, compartment, observer } = this.#options;
    const { maxAnswerBytes } = OPERATION_TRAITS[operation];
    const timeoutMs = Math.min(this.#options.timeoutMs, remainingMs);
    const trace = this.#startTrace();
    this.#call.attempts += 1;
    this.#made += 1;
    const startedAtMs = performance.now();
    return new Promise((resolve) => {
      exchange(connections, request, { timeoutMs, maxAnswerBytes }, (end) => {
        const { outcome, health, result } = this.#classify(end, remainingMs);
        pass.settle(health, end.kind === 'answer' ? `HTTP ${end.answer.status}` : result);
        admission.leave(compartment);
        observer.attemptEnded(operation, result, performance.now() - startedAtMs);
        trace?.end(result, end.kind === 'answer' ? end.answer.status : undefined);
        resolve(outcome);
      });
    });
  }

  #startTrace(): AttemptTrace | undefined {
    const { tracer, method, root, pathTemplate } = this.#options;
    const { traceContext } = this.#call;
    if (!tracer || !traceContext) return undefined;
    return tracer.start(traceContext, { method, root, pathTemplate, resends: this.#made });
  }

  #classify(end: ExchangeEnd, remainingMs: number): ClassifiedAttempt {
    const { timeoutMs } = this.#options;
    if (end.kind === 'answer') return classifyAttempt(end, Date.now());
    // A timer may fire a moment before the clock agrees.
    const isTimeOfDeadline = remainingMs <= timeoutMs && TIMEOUTS.has(end.fault);
    return isTimeOfDeadline || this.#call.deadline.expired ? CUT_OFF : classifyAttempt(end, Date.now());
  }
}
