import { CommandError } from '#contracts';
import {
  Admission,
  Circuit,
  type Clock,
  type Random,
  retry,
  RetryBudget,
  type RetryRules,
} from '#resilience';

import type { CallContext } from '../call-context.ts';
import { type Operation, OPERATION_TRAITS } from '../operations.ts';
import type { PlatformObserver } from '../platform-observer.ts';
import type { OperatorCredentials, PlatformLimits } from '../platform-settings.ts';
import type { PlatformRequest } from '../requests/platform-request.ts';
import { signRequest } from '../requests/sign-request.ts';
import type { Answer } from '../transport/answer.ts';
import { PlatformRoots } from '../transport/platform-roots.ts';
import { Attempts, type AttemptsOptions } from './attempts.ts';
import { conclude } from './conclude.ts';

export interface Sources {
  readonly clock: Clock;
  readonly random: Random;
}

/** What stands between an operation and its calls. */
export interface Guard {
  readonly circuit: Circuit;
  readonly rules: RetryRules;
  lastUsedAtMs: number;
}

/**
 * Calls for one operator, from the outside in: signature, retry, circuit, admission, exchange.
 *
 * A connection is held for an attempt and not for the pauses between attempts. Each operation has a circuit and a retry
 * budget of its own, made when it is first used. While the platform takes its time, a call is one promise and one
 * suspended function: each further one would have to be woken up, too.
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
   * What `read` makes of the answer to a request, a success.
   *
   * @param data what the command carried, none of which an error repeats
   * @throws CommandError for everything else
   */
  async run<T>(
    request: PlatformRequest,
    data: object,
    call: CallContext,
    read: (answer: Answer) => T,
  ): Promise<T> {
    const { operation } = request;
    if (this.#credentials.secretKey === undefined && operation !== 'game.open') {
      throw new CommandError('SECRET_KEY_MISSING');
    }
    const { circuit, rules } = this.#guardOf(operation);
    const attempts = new Attempts(this.#options(request, circuit), call);
    const ended = retry(await attempts.make(), () => attempts.make(), rules, call.deadline);
    const answer = conclude(ended instanceof Promise ? await ended : ended, {
      operation,
      call,
      circuitRetryAfterMs: circuit.retryAfterMs,
      untold: [data, this.#credentials.secretKey],
    });
    return read(answer);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#admission.close();
    for (const { circuit } of this.#guards.values()) circuit.shutdown();
    await this.#roots.close();
  }

  #options(request: PlatformRequest, circuit: Circuit): AttemptsOptions {
    const { connections, prefix } = this.#roots[request.root];
    return {
      operation: request.operation,
      request: {
        origin: connections.origin,
        method: request.method,
        path: prefix + request.path,
        headers: headersOf(request, signRequest(request, this.#credentials)),
        body: request.body?.text ?? null,
        // A GET with a body would end its connection.
        reset: false,
        // Nothing waits behind it for its connection.
        blocking: false,
      },
      connections,
      circuit,
      admission: this.#admission,
      timeoutMs: this.#limits.attemptTimeoutMs,
      observer: this.#observer,
      clock: this.#sources.clock,
    };
  }

  #guardOf(operation: Operation): Guard {
    let guard = this.#guards.get(operation);
    if (guard === undefined) {
      const onChange = this.#observer.circuitChanged.bind(this.#observer, this.#credentials.name, operation);
      const rules: RetryRules = {
        maxAttempts: this.#limits.maxAttempts,
        repeatAfterUnknown: OPERATION_TRAITS[operation].repeatAfterUnknown,
        budget: new RetryBudget(this.#sources.clock),
        random: this.#sources.random,
        stopping: this.#stopping.signal,
        onRetry: () => this.#observer.retried(operation),
      };
      guard = {
        circuit: new Circuit(this.#limits.circuit, { ...this.#sources, onChange }),
        rules,
        lastUsedAtMs: 0,
      };
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
