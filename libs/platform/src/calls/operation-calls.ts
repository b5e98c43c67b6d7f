import type { Context } from '@opentelemetry/api';
import type { Dispatcher } from 'undici';

import { CommandError } from '#contracts';
import {
  type Admission,
  type Admittance,
  type CallEnd,
  Circuit,
  type CircuitState,
  type Clock,
  type Compartment,
  type Deadline,
  type Random,
  retry,
  RetryBudget,
  type RetryRules,
} from '#resilience';

import { type Operation, OPERATION_TRAITS } from '../operations.ts';
import type { PlatformObserver, PlatformTracer, RefusalReason } from '../platform-observer.ts';
import type { PlatformLimits, PlatformTransport } from '../platform-settings.ts';
import type { PlatformRequest } from '../requests.ts';
import type { Connections } from '../transport/connections.ts';
import { exchange } from '../transport/exchange.ts';
import { classifyAttempt, CUT_OFF, type Outcome } from './classify-attempt.ts';

/** What all calls for one command share; each of them changes it. */
export interface CallContext {
  readonly deadline: Deadline;
  /** Attempts that were started for this command. */
  attempts: number;
  /** What the spans of its attempts are children of. Default: they are not traced. */
  readonly traceContext?: Context | undefined;
}

/** How the calls of each operator are made. */
export interface CallOptions {
  readonly limits: PlatformLimits;
  readonly transport: PlatformTransport;
  /** Default: nothing is observed. */
  readonly observer?: PlatformObserver;
  /** Default: nothing is traced. */
  readonly tracer?: PlatformTracer | undefined;
  /** Steady. */
  readonly clock: Clock;
  readonly random: Random;
}

/** What all operations of one operator share. */
export interface OperatorShare extends CallOptions {
  /** The name of the operator. */
  readonly operator: string;
  readonly admission: Admission;
  /** Aborted when the client is closed: ends the pauses between attempts. */
  readonly stopping: AbortSignal;
}

/** A request that is ready to be sent. */
export interface SignedCall {
  readonly request: PlatformRequest;
  /** The address that its path is relative to. */
  readonly root: string;
  readonly connections: Connections;
  /** With its signature. */
  readonly options: Dispatcher.DispatchOptions;
}

/** The state of one circuit, for health and metrics. */
export interface CircuitReport {
  readonly operator: string;
  readonly operation: Operation;
  readonly state: CircuitState;
  /** What the last unhealthy call ended with, such as `HTTP 503` or `timeout`; absent while it is closed. */
  readonly cause?: string;
  /** Until a call may go through, while none may. */
  readonly retryAfterMs?: number;
  /** When a call last asked to go through, by the steady clock. */
  readonly lastUsedAtMs: number;
}

/** The calls of one operation, for health and metrics. */
export interface CallsReport {
  readonly operator: string;
  readonly operation: Operation;
  readonly inFlight: number;
  /** For a connection. */
  readonly waiting: number;
  /** Retries that are left, of 100; below 1 none is made. */
  readonly retriesLeft: number;
}

/** A timer may fire that much before the clock agrees. */
const TIMER_MS = 2;

/**
 * The calls of one operation of one operator, which has a circuit, a compartment and a retry budget of its own; from the
 * outside in: retry, admission, circuit, exchange. A connection is held for an attempt, and not for the pauses between attempts.
 */
export class OperationCalls {
  readonly circuit: Circuit;
  readonly #operation: Operation;
  readonly #share: OperatorShare;
  readonly #compartment: Compartment;
  readonly #rules: RetryRules;
  #lastUsedAtMs = 0;

  constructor(operation: Operation, share: OperatorShare) {
    const { operator, limits, admission, observer, clock, random, stopping } = share;
    const { priority, repeatAfterUnknown } = OPERATION_TRAITS[operation];
    this.#operation = operation;
    this.#share = share;
    this.circuit = new Circuit(limits.circuit, {
      clock,
      random,
      onChange: (state, cause) => observer?.circuitChanged(operator, operation, state, cause),
    });
    this.#compartment = admission.add(priority);
    this.#rules = {
      maxAttempts: limits.maxAttempts,
      repeatAfterUnknown,
      budget: new RetryBudget(clock),
      random,
      stopping,
      onRetry: () => observer?.retried(operation),
    };
  }

  circuitReport(): CircuitReport {
    const { state, cause, retryAfterMs } = this.circuit;
    return {
      operator: this.#share.operator,
      operation: this.#operation,
      state,
      ...(cause !== undefined && { cause }),
      ...(retryAfterMs > 0 && { retryAfterMs }),
      lastUsedAtMs: this.#lastUsedAtMs,
    };
  }

  callsReport(): CallsReport {
    return {
      operator: this.#share.operator,
      operation: this.#operation,
      inFlight: this.#compartment.inFlight,
      waiting: this.#compartment.waiting.length,
      retriesLeft: this.#rules.budget.left,
    };
  }

  /** Never rejects. */
  make(call: SignedCall, context: CallContext): Promise<CallEnd<Outcome>> {
    this.#lastUsedAtMs = this.#share.clock();
    const { repeatAfterUnknown } = call.request;
    const rules = repeatAfterUnknown ? { ...this.#rules, repeatAfterUnknown } : this.#rules;
    const before = context.attempts;
    return retry(() => this.#attempt(call, context, context.attempts - before), rules, context.deadline);
  }

  /** @param resends how many attempts of the call were made before */
  async #attempt(call: SignedCall, context: CallContext, resends: number): Promise<Outcome> {
    if (this.circuit.retryAfterMs > 0) return this.#refuse('circuit-open');
    const { admission, limits, observer, transport } = this.#share;
    const entered = admission.enter(this.#compartment, context.deadline);
    const admittance = typeof entered === 'string' ? entered : await this.#waitFor(entered);
    if (admittance !== 'admitted') return this.#refuse(admittance);
    // The circuit may have opened, and the deadline passed, while the call waited for its admission.
    const pass = this.circuit.enter();
    try {
      if (pass === undefined) return this.#refuse('circuit-open');
      const remainingMs = context.deadline.remainingMs();
      if (remainingMs === 0) {
        this.circuit.settle(pass, 'ignored');
        return CUT_OFF.outcome;
      }
      const trace = this.#trace(call, context, resends);
      context.attempts += 1;
      const startedAtMs = performance.now();
      const end = await exchange(call.connections, call.options, {
        timeoutMs: Math.min(limits.attemptTimeoutMs, remainingMs),
        maxAnswerBytes: OPERATION_TRAITS[this.#operation].maxAnswerBytes,
      });
      const isLate = end.kind !== 'answer' && context.deadline.remainingMs() < TIMER_MS;
      const isProxied = transport.proxyUrl !== undefined;
      const { outcome, health, result } = isLate ? CUT_OFF : classifyAttempt(end, Date.now(), isProxied);
      const status = end.kind === 'answer' ? end.answer.status : undefined;
      observer?.attemptEnded(this.#operation, result, performance.now() - startedAtMs);
      trace?.end(result, status);
      this.circuit.settle(pass, health, status === undefined ? result : `HTTP ${status}`);
      return outcome;
    } finally {
      admission.leave(this.#compartment);
    }
  }

  async #waitFor(entered: Promise<Admittance>): Promise<Admittance> {
    const startedAtMs = performance.now();
    const admittance = await entered;
    this.#share.observer?.admissionWaited(this.#operation, performance.now() - startedAtMs);
    return admittance;
  }

  #refuse(reason: RefusalReason): Outcome {
    this.#share.observer?.attemptRefused(this.#operation, reason);
    return reason === 'expired' ? { kind: reason } : { kind: 'rejected', refusal: this.#refusal(reason) };
  }

  #refusal(reason: Exclude<RefusalReason, 'expired'>): CommandError {
    if (reason === 'overloaded') return new CommandError('OVERLOADED');
    if (reason === 'closed') return new CommandError('PLATFORM_UNAVAILABLE', { details: { reason } });
    const { retryAfterMs, cause } = this.circuit;
    return new CommandError('CIRCUIT_OPEN', { retryAfterMs, details: cause ? { reason: cause } : undefined });
  }

  #trace({ request, root }: SignedCall, { traceContext }: CallContext, resends: number) {
    const { method, pathTemplate } = request;
    return traceContext && this.#share.tracer?.start(traceContext, { method, root, pathTemplate, resends });
  }
}
