import { setTimeout as sleep } from 'node:timers/promises';

import {
  Abandoned,
  type Admittance,
  Attempts,
  Circuit,
  type Compartment,
  RetryBudget,
  type RetryRules,
  type Ticket,
} from '#resilience';

import { readBody, utf8 } from '../answers/document.ts';
import type { Operation, OperationDefinition, Result } from '../operations/operation.ts';
import { DEFINITIONS } from '../operations/operations.ts';
import type { RefusalReason } from '../platform-observer.ts';
import { type End, statusClass } from '../transport/connection.ts';
import type { Call, CallContext, OperatorContext } from './call.ts';
import { callError, protocolError } from './call-error.ts';
import { type CallOutcome, classifyAttempt, healthOf, resultOf } from './classify-attempt.ts';

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
  readonly #definition: OperationDefinition<O>;
  readonly #circuit: Circuit;
  readonly #compartment: Compartment;
  readonly #rules: RetryRules;
  #lastUsedAtMs = 0;

  constructor(
    private readonly operation: O,
    private readonly operator: OperatorContext,
  ) {
    const { name, limits, admission, observer, clock, random } = operator;
    this.#definition = DEFINITIONS[operation];
    this.#circuit = new Circuit(limits.circuit, clock, random, (state, cause) =>
      observer?.circuitChanged(name, operation, state, cause),
    );
    this.#compartment = admission.add(this.#definition.priority);
    this.#rules = { maxAttempts: limits.maxAttempts, budget: new RetryBudget(clock), random };
  }

  report() {
    const { state, cause, openForMs, retryAfterMs } = this.#circuit;
    const { inFlight, line, limit, times } = this.#compartment;
    const perSecond = this.operator.admission.perSecond(this.#compartment);
    return {
      operator: this.operator.name,
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
   * Makes a call, and reads its answer. Everything between is one function, because each further one that waits costs
   * memory and time for every command in flight.
   *
   * @throws CommandError unless it succeeds; Abandoned if the delivery of its command ended before an attempt
   */
  async make(call: Call<O>, context: CallContext): Promise<Result<O>> {
    const { admission, observer } = this.operator;
    const { caller = '' } = context;
    const repeat = call.request.repeatAfterUnknown ?? this.#definition.repeatAfterUnknown;
    const attempts = new Attempts<CallOutcome>(this.#rules, repeat);
    this.#lastUsedAtMs = this.operator.clock();
    let last: CallOutcome | undefined;
    while (!last) {
      let outcome: CallOutcome;
      const admittance =
        this.#circuit.retryAfterMs > 0
          ? 'circuit-open'
          : admission.enter(this.#compartment, context.deadline, caller);
      const entered = typeof admittance === 'string' ? admittance : await this.#waited(admittance);
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
      const next = attempts.next(outcome, context.deadline.remainingMs());
      if ('outcome' in next) {
        last = next.outcome;
      } else {
        observer?.retried(this.operation);
        // The attempt after a pause that was cut short finds out why.
        await sleep(next.retryInMs, undefined, { signal: this.operator.stopping }).catch(() => undefined);
      }
    }
    if (!('status' in last) || statusClass(last.status) !== '2xx') {
      throw await this.#failure(last, call, context, attempts.unknown);
    }
    try {
      const body = readBody(last, this.#definition.maxAnswerBytes);
      const bytes = utf8(Buffer.isBuffer(body) ? body : await body);
      const result = this.#definition.read(bytes, call.credentials, call.data);
      return result instanceof Promise ? await result : result;
    } catch (error) {
      throw protocolError(error, last.status);
    }
  }

  /** Waits for a connection. */
  async #waited(admittance: Promise<Admittance>): Promise<Admittance> {
    const startedAtMs = performance.now();
    const admitted = await admittance;
    this.operator.observer?.admissionWaited(this.operation, performance.now() - startedAtMs);
    return admitted;
  }

  /** @param unknown attempts of the call whose outcome is unknown */
  async #failure(outcome: CallOutcome, call: Call<O>, context: CallContext, unknown: number) {
    const { admission, observer, name } = this.operator;
    const error = await callError(outcome, {
      ...call,
      operation: this.operation,
      circuit: this.#circuit,
      called: context.attempts > 0,
      unknown,
      overloadedForMs: () => admission.retryAfterMs(this.#compartment),
    });
    if (error.details?.['hint'] === 'signature') observer?.signatureDoubted(name, this.operation);
    return error;
  }

  #refused(reason: RefusalReason): CallOutcome {
    this.operator.observer?.attemptRefused(this.operation, reason);
    return reason === 'expired' ? EXPIRED : { kind: 'rejected', reason };
  }

  /** @param resends how many attempts of the call were made before */
  #begin(call: Call<O>, context: CallContext, resends: number): Attempt | CallOutcome {
    // The deadline may have passed, and the circuit opened, while the call waited for its admission.
    const timeoutMs = Math.min(this.operator.limits.attemptTimeoutMs, context.deadline.remainingMs());
    if (timeoutMs === 0) return this.#refused('expired');
    if (context.delivery?.isAlive === false) throw new Abandoned();
    const { admission } = this.operator;
    if (admission.isTooLate(this.#compartment, context.deadline)) return this.#refused('too-late');
    const pass = this.#circuit.enter();
    if (pass === undefined) return this.#refused('circuit-open');
    context.attempts += 1;
    const startedAtMs = (context.unansweredSinceMs = performance.now());
    const ticket = admission.begin(this.#compartment);
    const end = call.connections.acquire().request(call.options, timeoutMs, this.#definition.maxAnswerBytes);
    return { end, pass, resends, startedAtMs, ticket };
  }

  #ended(attempt: Attempt, end: End, call: Call<O>, context: CallContext): CallOutcome {
    const { observer, tracer, transport } = this.operator;
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
