import { setTimeout as sleep } from 'node:timers/promises';

import type { Context } from '@opentelemetry/api';
import type { Dispatcher } from 'undici';

import type { CommandData } from '#contracts';
import {
  Abandoned,
  type Admission,
  type Admittance,
  Attempts,
  Circuit,
  type Clock,
  type Compartment,
  type Deadline,
  type Random,
  RetryBudget,
  type RetryRules,
  type Ticket,
} from '#resilience';

import { readBody, utf8 } from '../answers/document.ts';
import { type Operation, OPERATION_TRAITS, type Result } from '../operations.ts';
import type { PlatformObserver, PlatformTracer, RefusalReason } from '../platform-observer.ts';
import type { OperatorCredentials, PlatformLimits, PlatformTransport } from '../platform-settings.ts';
import type { PlatformRequest } from '../requests.ts';
import { type End, statusClass } from '../transport/connection.ts';
import type { Connections } from '../transport/connections.ts';
import { callError, protocolError } from './call-error.ts';
import { classifyAttempt, healthOf, type Outcome, resultOf } from './classify-attempt.ts';

/** What all calls for one command share; each of them changes it. */
export interface CallContext {
  readonly deadline: Deadline;
  /** No attempt starts once it is not alive: another worker may have the command. Default: it always is. */
  readonly delivery?: { readonly isAlive: boolean };
  /** Who sent the command: callers share the connections. Default: a caller without a name. */
  readonly caller?: string;
  /** Attempts that were started for this command. */
  attempts: number;
  /** When the attempt in flight began, by `performance.now()`. */
  unansweredSinceMs?: number | undefined;
  /** What the spans of its attempts are children of. Default: they are not traced. */
  readonly traceContext?: Context | undefined;
}

/** What all operations of one operator share. */
export interface OperatorShare {
  readonly operator: string;
  readonly limits: PlatformLimits;
  readonly transport: PlatformTransport;
  readonly admission: Admission;
  /** Aborted when the client is closed: ends the pauses between attempts. */
  readonly stopping: AbortSignal;
  /** Default: nothing is observed. */
  readonly observer?: PlatformObserver;
  /** Default: nothing is traced. */
  readonly tracer?: PlatformTracer | undefined;
  /** Steady. */
  readonly clock: Clock;
  readonly random: Random;
}

/** One call: what is sent, to where, and by whom. */
interface Call<O extends Operation> {
  readonly credentials: OperatorCredentials;
  /** The data of the command; no error repeats them. */
  readonly data: CommandData[O];
  readonly request: Pick<PlatformRequest, 'method' | 'pathTemplate' | 'root' | 'repeatAfterUnknown'>;
  readonly connections: Connections;
  /** The request with its signature. */
  readonly options: Dispatcher.DispatchOptions;
}

/** One operation of one operator, for health and metrics. */
export type OperationReport = ReturnType<OperationCalls<Operation>['report']>;
/** The state of its circuit alone. */
export type CircuitReport = Pick<OperationReport, 'operator' | 'operation' | 'state' | 'lastUsedAtMs'> &
  Partial<Pick<OperationReport, 'cause' | 'retryAfterMs'>>;

/** An attempt in flight. */
interface Attempt {
  readonly end: Promise<End>;
  readonly pass: number;
  readonly resends: number;
  readonly startedAtMs: number;
  readonly ticket: Ticket;
}

/** A timer may fire that much before the clock agrees. */
const TIMER_MS = 2;
const EXPIRED = { kind: 'expired' } as const;

/**
 * The calls of one operation of one operator, which has a circuit, a compartment and a retry budget of its own; from the
 * outside in: retry, admission, circuit, request. A connection is held for an attempt, and not for the pauses between attempts.
 */
export class OperationCalls<O extends Operation> {
  readonly #traits: (typeof OPERATION_TRAITS)[O];
  readonly #circuit: Circuit;
  readonly #compartment: Compartment;
  readonly #rules: RetryRules;
  #lastUsedAtMs = 0;

  constructor(
    private readonly operation: O,
    private readonly share: OperatorShare,
  ) {
    const { operator, limits, admission, observer, clock, random } = share;
    this.#traits = OPERATION_TRAITS[operation];
    this.#circuit = new Circuit(limits.circuit, clock, random, (state, cause) =>
      observer?.circuitChanged(operator, operation, state, cause),
    );
    this.#compartment = admission.add(this.#traits.priority);
    this.#rules = { maxAttempts: limits.maxAttempts, budget: new RetryBudget(clock), random };
  }

  report() {
    const { state, cause, openForMs, retryAfterMs } = this.#circuit;
    const { inFlight, line, limit, times } = this.#compartment;
    const perSecond = this.share.admission.perSecond(this.#compartment);
    return {
      operator: this.share.operator,
      operation: this.operation,
      state,
      /** What the last unhealthy call ended with, such as `HTTP 503` or `timeout`; absent while the circuit is closed. */
      cause,
      /** How long the circuit has not been closed. */
      openForMs,
      /** Until a call may go through, while none may. */
      retryAfterMs: retryAfterMs || undefined,
      /** When a call last asked to go through, by the steady clock. */
      lastUsedAtMs: this.#lastUsedAtMs,
      inFlight,
      /** For a connection. */
      waiting: line.length,
      /** True while calls are refused to keep that line short. */
      isOverloaded: line.isStanding,
      /** Calls that are made at once, at most. */
      limit: limit.value,
      /** How long answered calls took recently, in milliseconds; undefined before the first one. */
      callMs: Math.round(times.expectedMs) || undefined,
      /** Calls a second that the platform can answer, as far as recent calls tell; undefined before the first one. */
      perSecond: times.expectedMs > 0 ? Math.round(perSecond) : undefined,
      /** Retries that are left, of 100; below 1 none is made. */
      retriesLeft: this.#rules.budget.left,
    };
  }

  /** Stops its timer; no call is made afterwards. */
  shutdown(): void {
    this.#circuit.shutdown();
  }

  /**
   * Makes a call, and reads its answer. It is one function, since each further one that waits costs memory and time for every
   * command in flight.
   *
   * @throws CommandError unless it succeeds; Abandoned if the delivery of its command ended before an attempt
   */
  async make(call: Call<O>, context: CallContext): Promise<Result<O>> {
    const { admission, observer } = this.share;
    const { caller = '' } = context;
    const repeat = call.request.repeatAfterUnknown ?? this.#traits.repeatAfterUnknown;
    const attempts = new Attempts<Outcome>(this.#rules, repeat);
    this.#lastUsedAtMs = this.share.clock();
    let next: Outcome | number;
    do {
      let outcome: Outcome;
      let entered: RefusalReason | 'admitted' | Promise<Admittance> =
        this.#circuit.retryAfterMs > 0
          ? 'circuit-open'
          : admission.enter(this.#compartment, context.deadline, caller);
      if (typeof entered !== 'string') {
        const startedAtMs = performance.now();
        entered = await entered;
        observer?.admissionWaited(this.operation, performance.now() - startedAtMs);
      }
      if (entered === 'admitted') {
        let ticket: Ticket | undefined;
        try {
          const begun = this.#begin(call, context, attempts.count);
          if ('end' in begun) {
            ({ ticket } = begun);
            outcome = this.#ended(begun, await begun.end, call, context);
          } else outcome = begun;
        } finally {
          admission.leave(this.#compartment, caller, ticket);
        }
      } else outcome = this.#refused(entered);
      next = attempts.next(outcome, context.deadline.remainingMs());
      if (typeof next === 'number') {
        observer?.retried(this.operation);
        // The attempt after a pause that was cut short finds out why.
        await sleep(next, undefined, { signal: this.share.stopping }).catch(() => undefined);
      }
    } while (typeof next === 'number');
    if (!('status' in next) || statusClass(next.status) !== '2xx') {
      const facts = {
        ...call,
        operation: this.operation,
        circuit: this.#circuit,
        unknown: attempts.unknown,
        overloadedForMs: () => admission.retryAfterMs(this.#compartment),
      };
      const error = await callError(next, { ...facts, called: context.attempts > 0 });
      if (error.details?.['hint'] === 'signature') {
        observer?.signatureDoubted(this.share.operator, this.operation);
      }
      throw error;
    }
    try {
      const body = readBody(next, this.#traits.maxAnswerBytes);
      const bytes = utf8(Buffer.isBuffer(body) ? body : await body);
      const result = this.#traits.read(bytes, call.credentials, call.data);
      return result instanceof Promise ? await result : result;
    } catch (error) {
      throw protocolError(error, next.status);
    }
  }

  #refused(reason: RefusalReason): Outcome {
    this.share.observer?.attemptRefused(this.operation, reason);
    return reason === 'expired' ? EXPIRED : { kind: 'rejected', reason };
  }

  /** @param resends how many attempts of the call were made before */
  #begin(call: Call<O>, context: CallContext, resends: number): Attempt | Outcome {
    // The deadline may have passed, and the circuit opened, while the call waited for its admission.
    const timeoutMs = Math.min(this.share.limits.attemptTimeoutMs, context.deadline.remainingMs());
    if (timeoutMs === 0) return this.#refused('expired');
    if (context.delivery?.isAlive === false) throw new Abandoned();
    const { admission } = this.share;
    if (admission.isTooLate(this.#compartment, context.deadline)) return this.#refused('too-late');
    const pass = this.#circuit.enter();
    if (pass === undefined) return this.#refused('circuit-open');
    context.attempts += 1;
    const startedAtMs = (context.unansweredSinceMs = performance.now());
    const ticket = admission.begin(this.#compartment);
    const end = call.connections.take().request(call.options, timeoutMs, this.#traits.maxAnswerBytes);
    return { end, pass, resends, startedAtMs, ticket };
  }

  #ended(attempt: Attempt, end: End, call: Call<O>, context: CallContext): Outcome {
    const { observer, tracer, transport } = this.share;
    const { resends, startedAtMs } = attempt;
    const tookMs = performance.now() - startedAtMs;
    context.unansweredSinceMs = undefined;
    const isLate = 'fault' in end && context.deadline.remainingMs() < TIMER_MS;
    const outcome = isLate
      ? ({ kind: 'expired', unansweredMs: Math.round(tookMs) } as const)
      : classifyAttempt(end, transport.proxyUrl !== undefined);
    const result = resultOf(outcome);
    const status = 'fault' in end ? undefined : end.status;
    observer?.attemptEnded(this.operation, result, tookMs);
    if (context.traceContext && tracer) {
      const { method, pathTemplate, root } = call.request;
      const sent = { method, root: call.credentials[root], pathTemplate, resends, startedAtMs };
      tracer.attemptEnded(context.traceContext, { ...sent, result, status });
    }
    const isOverdue = result === 'deadline' && this.#compartment.times.isOverdue(tookMs);
    if (outcome.kind === 'answered') attempt.ticket.end = 'answered';
    else if (isOverdue || result === 'timeout') attempt.ticket.end = 'cut-off';
    const cause = isOverdue ? 'timeout' : result;
    this.#circuit.settle(attempt.pass, healthOf(cause), status === undefined ? cause : `HTTP ${status}`);
    return outcome;
  }
}
