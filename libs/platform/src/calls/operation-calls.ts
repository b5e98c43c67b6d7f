import { isUtf8 } from 'node:buffer';
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

import { readBody, UnexpectedDocument } from '../answers/document.ts';
import type { Operation, OperationDefinition, Result } from '../operations/operation.ts';
import { DEFINITIONS } from '../operations/operations.ts';
import type { RefusalReason } from '../platform-observer.ts';
import type { End } from '../transport/connection.ts';
import type { Call, CallContext, OperatorContext } from './call.ts';
import { callError, protocolError } from './call-error.ts';
import { type CallOutcome, classifyAttempt, healthOf, resultOf } from './classify-attempt.ts';

/** State of one operation of one operator, for health and metrics. */
export type OperationReport = ReturnType<OperationCalls<Operation>['report']>;
/** State of the circuit of one operation. */
export type CircuitReport = Pick<OperationReport, 'operator' | 'operation' | 'state' | 'lastUsedAtMs'> &
  Partial<Pick<OperationReport, 'cause' | 'retryAfterMs'>>;

interface Attempt {
  readonly end: Promise<End>;
  readonly pass: number;
  readonly resends: number;
  readonly startedAtMs: number;
  readonly ticket: Ticket;
}

/** A timer may fire this many milliseconds before the clock reaches its time. */
const TIMER_MS = 2;
const EXPIRED = { kind: 'expired' } as const;

/**
 * The calls of one operation of one operator, with their own circuit, compartment and retry budget. From the
 * outside in, a call passes retry, admission, circuit and request. It holds a connection during attempts, but
 * not during the delays between them.
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
      /**
       * The result of the last unhealthy call, such as `HTTP 503` or `timeout`; absent while the circuit is
       * closed.
       */
      cause,
      /** Milliseconds since the circuit was last closed. */
      openForMs,
      /** Milliseconds until the circuit admits a call; absent if it admits calls now. */
      retryAfterMs: retryAfterMs || undefined,
      /** Time of the last call, by the monotonic clock. */
      lastUsedAtMs: this.#lastUsedAtMs,
      inFlight,
      waiting: line.length,
      /** True while calls are refused to keep that queue short. */
      isOverloaded: line.isStanding,
      limit: limit.value,
      /**
       * Expected duration of an answered call from recent calls, in milliseconds; undefined before the first
       * one.
       */
      callMs: Math.round(times.expectedMs) || undefined,
      /**
       * Estimated calls per second that the platform can answer, from recent calls; undefined before the
       * first one.
       */
      perSecond: times.expectedMs > 0 ? Math.round(perSecond) : undefined,
      /** Remaining retries, out of 100; below 1, no retry is made. */
      retriesLeft: this.#rules.budget.left,
    };
  }

  /** Stops the circuit's timer. No calls may be made afterwards. */
  shutdown(): void {
    this.#circuit.shutdown();
  }

  /**
   * Makes a call and reads its answer. All steps are in one function, because each additional async function
   * costs memory and time for every in-flight command.
   *
   * @throws CommandError if the call fails; Abandoned if the delivery of the command ended before an attempt
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
      const entered = typeof admittance === 'string' ? admittance : await this.#waited(admittance, context);
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
      } else outcome = this.#refused(entered, context);
      const next = attempts.next(outcome, context.deadline.remainingMs());
      if ('outcome' in next) {
        last = next.outcome;
      } else {
        observer?.retried(this.operation);
        // If the sleep was aborted, the next attempt finds out why.
        await sleep(next.retryInMs, undefined, { signal: this.operator.stopping }).catch(() => undefined);
      }
    }
    if (!('status' in last) || last.status >= 300) {
      throw await this.#failure(last, call, context, attempts.unknown);
    }
    try {
      const body = await readBody(last, this.#definition.maxAnswerBytes);
      if (!isUtf8(body)) throw new UnexpectedDocument('the body is not UTF-8');
      return await this.#definition.read(body, call.credentials, call.data);
    } catch (error) {
      throw protocolError(error, last.status);
    }
  }

  async #waited(admittance: Promise<Admittance>, context: CallContext): Promise<Admittance> {
    const startedAtMs = performance.now();
    context.isWaiting = true;
    const admitted = await admittance;
    context.isWaiting = false;
    this.operator.observer?.admissionWaited(this.operation, performance.now() - startedAtMs);
    return admitted;
  }

  /** @param unknown number of attempts of the call whose outcome is unknown */
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

  /** @throws Abandoned if the delivery of the command ended */
  #refused(reason: RefusalReason, { delivery }: CallContext): CallOutcome {
    if (delivery?.isAlive === false) throw new Abandoned();
    this.operator.observer?.attemptRefused(this.operation, reason);
    return reason === 'expired' ? EXPIRED : { kind: 'rejected', reason };
  }

  /** @param resends number of earlier attempts of the call */
  #begin(call: Call<O>, context: CallContext, resends: number): Attempt | CallOutcome {
    // While the call waited for admission, the deadline may have passed, or the circuit may have opened.
    const timeoutMs = Math.min(this.operator.limits.attemptTimeoutMs, context.deadline.remainingMs());
    if (timeoutMs === 0) return this.#refused('expired', context);
    if (context.delivery?.isAlive === false) throw new Abandoned();
    const { admission } = this.operator;
    if (admission.isTooLate(this.#compartment, context.deadline)) return this.#refused('too-late', context);
    const pass = this.#circuit.enter();
    if (pass === undefined) return this.#refused('circuit-open', context);
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
