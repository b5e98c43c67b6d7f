import { CommandError } from '#contracts';
import { Admission, type Clock, type Random, retry, type RetryRules } from '#resilience';

import type { CallContext } from '../call-context.ts';
import type { Operation } from '../operations.ts';
import type { PlatformObserver } from '../platform-observer.ts';
import type { OperatorCredentials, PlatformLimits } from '../platform-settings.ts';
import type { PlatformRequest } from '../requests/platform-request.ts';
import { signRequest } from '../requests/sign-request.ts';
import { type Answer, statusClass } from '../transport/answer.ts';
import { dispatchExchange } from '../transport/dispatch-exchange.ts';
import { PlatformRoots } from '../transport/platform-roots.ts';
import { Attempts, type AttemptsOptions } from './attempts.ts';
import { callError } from './call-error.ts';
import { OperationPolicies, type OperationPolicy } from './operation-policies.ts';

export interface Sources {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * The calls for one operator, from the outside in: signature, retry, admission, circuit, exchange.
 *
 * A connection is held for an attempt, and not for the pauses between attempts.
 */
export class OperatorCalls {
  readonly #credentials: OperatorCredentials;
  readonly #limits: PlatformLimits;
  readonly #observer: PlatformObserver;
  readonly #clock: Clock;
  readonly #admission: Admission;
  readonly #roots: PlatformRoots;
  readonly #policies: OperationPolicies;

  constructor(
    credentials: OperatorCredentials,
    limits: PlatformLimits,
    observer: PlatformObserver,
    sources: Sources,
  ) {
    this.#credentials = credentials;
    this.#limits = limits;
    this.#observer = observer;
    this.#clock = sources.clock;
    this.#admission = new Admission(limits);
    this.#roots = new PlatformRoots(credentials, limits.attemptTimeoutMs);
    this.#policies = new OperationPolicies({
      operator: credentials.name,
      limits,
      admission: this.#admission,
      observer,
      ...sources,
    });
  }

  /** Of the operations that have been used. */
  get policies(): ReadonlyMap<Operation, OperationPolicy> {
    return this.#policies.all();
  }

  /**
   * Calls the platform, and reads the answer if it is a success.
   *
   * @param data the data of the command, which no error repeats
   * @throws CommandError for everything else
   */
  async run<T>(
    request: PlatformRequest,
    data: object,
    call: CallContext,
    read: (answer: Answer) => T | Promise<T>,
  ): Promise<T> {
    const { operation } = request;
    if (this.#credentials.secretKey === undefined && operation !== 'game.open') {
      throw new CommandError('SECRET_KEY_MISSING');
    }
    const policy = this.#policies.use(operation);
    const { circuit, rules } = policy;
    const attempts = new Attempts(this.#options(request, policy), call);
    // One promise and one suspended function a call: each further one costs a wake-up (docs/decisions/0008).
    const ended = retry(await attempts.make(), () => attempts.make(), rulesOf(request, rules), call.deadline);
    const end = ended instanceof Promise ? await ended : ended;
    if (end.outcome.kind === 'answered' && statusClass(end.outcome.answer.status) === '2xx') {
      return read(end.outcome.answer);
    }
    const error = callError(end, {
      operation,
      call,
      circuitRetryAfterMs: circuit.retryAfterMs,
      secrets: [data, this.#credentials.secretKey],
    });
    if (error.details?.['hint'] === 'signature') {
      this.#observer.signatureDoubted(this.#credentials.name, operation);
    }
    throw error;
  }

  async close(): Promise<void> {
    this.#policies.shutdown();
    this.#admission.close();
    await this.#roots.close();
  }

  #options(request: PlatformRequest, { circuit, compartment }: OperationPolicy): AttemptsOptions {
    const { connections, prefix } = this.#roots[request.root];
    return {
      operation: request.operation,
      request: {
        origin: connections.origin,
        method: request.method,
        path: prefix + request.path,
        headers: headersOf(request, signRequest(request, this.#credentials)),
        body: request.body?.text ?? null,
        // undici would close the connection after a GET with a body.
        reset: false,
        // No other request waits for its connection.
        blocking: false,
      },
      connections,
      exchange: dispatchExchange,
      circuit,
      admission: this.#admission,
      compartment,
      timeoutMs: this.#limits.attemptTimeoutMs,
      observer: this.#observer,
      clock: this.#clock,
    };
  }
}

function rulesOf({ repeatAfterUnknown }: PlatformRequest, rules: RetryRules): RetryRules {
  return repeatAfterUnknown === undefined ? rules : { ...rules, repeatAfterUnknown };
}

function headersOf({ body }: PlatformRequest, sign: string | undefined): string[] {
  const headers = ['accept', 'application/vnd.api+json'];
  if (body !== undefined) headers.push('content-type', body.contentType);
  if (sign !== undefined) headers.push('sign', sign);
  return headers;
}
