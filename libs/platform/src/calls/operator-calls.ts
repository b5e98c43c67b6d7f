import { CommandError } from '#contracts';
import {
  Admission,
  type Admittance,
  Circuit,
  type Clock,
  type Deadline,
  type Random,
  retry,
  RetryBudget,
} from '#resilience';

import type { CallContext } from '../call-context.ts';
import { type Operation, OPERATION_TRAITS } from '../operations.ts';
import type { PlatformObserver } from '../platform-observer.ts';
import type { OperatorCredentials, PlatformLimits } from '../platform-settings.ts';
import type { PlatformRequest } from '../requests/platform-request.ts';
import { signRequest } from '../requests/sign-request.ts';
import type { Answer } from '../transport/answer.ts';
import { exchange, type ExchangeEnd } from '../transport/exchange.ts';
import { PlatformRoots } from '../transport/platform-roots.ts';
import { conclude } from './conclude.ts';
import { CUT_OFF, judge, type Judgement, type Outcome } from './judge.ts';

export interface Sources {
  readonly clock: Clock;
  readonly random: Random;
}

/** What stands between an operation and its calls. */
export interface Guard {
  readonly circuit: Circuit;
  readonly budget: RetryBudget;
  lastUsedAtMs: number;
}

/**
 * Calls for one operator, from the outside in: retry, circuit, admission, signature, exchange.
 *
 * A connection is held for an attempt and not for the pauses between attempts. Each operation has a circuit and a retry
 * budget of its own, made when it is first used.
 */
export class OperatorCalls {
  readonly #credentials: OperatorCredentials;
  readonly #limits: PlatformLimits;
  readonly #observer: PlatformObserver;
  readonly #sources: Sources;
  readonly #admission: Admission;
  readonly #roots: PlatformRoots;
  readonly #guards = new Map<Operation, Guard>();
  readonly #stopping = new AbortController();

  constructor(
    credentials: OperatorCredentials,
    limits: PlatformLimits,
    observer: PlatformObserver,
    sources: Sources,
  ) {
    this.#credentials = credentials;
    this.#limits = limits;
    this.#observer = observer;
    this.#sources = sources;
    this.#admission = new Admission(limits);
    this.#roots = new PlatformRoots(credentials, limits.attemptTimeoutMs);
  }

  /** Of the operations that have been used. */
  get guards(): ReadonlyMap<Operation, Guard> {
    return this.#guards;
  }

  /**
   * The answer to a request, a success.
   *
   * @param data what the command carried, none of which an error repeats
   * @throws CommandError for everything else
   */
  async run(request: PlatformRequest, data: object, call: CallContext): Promise<Answer> {
    const { operation } = request;
    if (this.#credentials.secretKey === undefined && operation !== 'game.open') {
      throw new CommandError('SECRET_KEY_MISSING');
    }
    const guard = this.#guardOf(operation);
    const end = await retry(() => this.#attempt(request, guard.circuit, call), {
      maxAttempts: this.#limits.maxAttempts,
      repeatAfterUnknown: OPERATION_TRAITS[operation].repeatAfterUnknown,
      budget: guard.budget,
      deadline: call.deadline,
      random: this.#sources.random,
      stopping: this.#stopping.signal,
      onRetry: () => this.#observer.retried(operation),
    });
    return conclude(end, {
      operation,
      call,
      circuitRetryAfterMs: guard.circuit.retryAfterMs,
      untold: [data, this.#credentials.secretKey],
    });
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#admission.close();
    for (const { circuit } of this.#guards.values()) circuit.shutdown();
    await this.#roots.close();
  }

  async #attempt(request: PlatformRequest, circuit: Circuit, call: CallContext): Promise<Outcome> {
    if (!circuit.isPassable) return circuitOpen(circuit);
    const { priority } = OPERATION_TRAITS[request.operation];
    const admittance = this.#admission.enter(priority, call.deadline);
    const refused = refusal(typeof admittance === 'string' ? admittance : await admittance);
    if (refused !== undefined) return refused;
    const pass = circuit.enter();
    let judgement = CUT_OFF;
    try {
      if (pass === undefined) return circuitOpen(circuit);
      const remainingMs = call.deadline.remainingMs();
      if (remainingMs === 0) return CUT_OFF.outcome;
      call.attempts += 1;
      const startedAtMs = performance.now();
      const end = await this.#exchange(request, remainingMs);
      judgement = this.#judge(end, remainingMs, call.deadline);
      this.#observer.attemptEnded(request.operation, judgement.result, performance.now() - startedAtMs);
      return judgement.outcome;
    } finally {
      pass?.settle(judgement.verdict);
      this.#admission.leave(priority);
    }
  }

  #exchange(request: PlatformRequest, remainingMs: number): Promise<ExchangeEnd> {
    const { connections, prefix } = this.#roots[request.root];
    const dispatched = {
      origin: connections.origin,
      method: request.method,
      path: prefix + request.path,
      headers: headersOf(request, signRequest(request, this.#credentials)),
      body: request.body?.text ?? null,
      // A GET with a body would end its connection.
      reset: false,
    };
    return exchange(connections, dispatched, {
      timeoutMs: Math.min(this.#limits.attemptTimeoutMs, remainingMs),
      maxAnswerBytes: OPERATION_TRAITS[request.operation].maxAnswerBytes,
    });
  }

  #judge(end: ExchangeEnd, remainingMs: number, deadline: Deadline): Judgement {
    if (end.kind === 'answer') return judge(end, this.#sources.clock);
    // A timer may fire a moment before the clock agrees.
    const isTimeOfDeadline = remainingMs <= this.#limits.attemptTimeoutMs && end.fault === 'timeout';
    return isTimeOfDeadline || deadline.expired ? CUT_OFF : judge(end, this.#sources.clock);
  }

  #guardOf(operation: Operation): Guard {
    let guard = this.#guards.get(operation);
    if (guard === undefined) {
      const onChange = this.#observer.circuitChanged.bind(this.#observer, this.#credentials.name, operation);
      const circuit = new Circuit(this.#limits.circuit, { ...this.#sources, onChange });
      guard = { circuit, budget: new RetryBudget(this.#sources.clock), lastUsedAtMs: 0 };
      this.#guards.set(operation, guard);
    }
    guard.lastUsedAtMs = this.#sources.clock();
    return guard;
  }
}

function headersOf({ body }: PlatformRequest, sign: string | undefined): string[] {
  const headers = ['accept', 'application/vnd.api+json'];
  if (body !== undefined) headers.push('content-type', body.contentType);
  if (sign !== undefined) headers.push('sign', sign);
  return headers;
}

function circuitOpen({ retryAfterMs }: Circuit): Outcome {
  return { kind: 'held-back', fault: { kind: 'circuit-open', retryAfterMs } };
}

function refusal(admittance: Admittance): Outcome | undefined {
  switch (admittance) {
    case 'admitted':
      return undefined;
    case 'expired':
      return { kind: 'expired' };
    case 'overloaded':
    case 'closed':
      return { kind: 'held-back', fault: { kind: admittance } };
  }
}
