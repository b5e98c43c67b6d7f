import { CommandError } from '#contracts';
import { Admission, type Clock, type Random, retry, type RetryRules } from '#resilience';

import type { CallContext } from '../call-context.ts';
import { type Operation, OPERATION_TRAITS } from '../operations.ts';
import type { PlatformObserver } from '../platform-observer.ts';
import type { PlatformTracer } from '../platform-tracer.ts';
import type { OperatorCredentials, PlatformLimits, PlatformTransport } from '../platform-settings.ts';
import type { PlatformRequest } from '../requests/platform-request.ts';
import { signRequest } from '../requests/sign-request.ts';
import { type Answer, statusClass } from '../transport/answer.ts';
import type { Exchange } from '../transport/exchange.ts';
import { PlatformRoots } from '../transport/platform-roots.ts';
import { Attempts, type AttemptsOptions } from './attempts.ts';
import { callError } from './call-error.ts';
import { OperationPolicies, type OperationPolicy } from './operation-policies.ts';

/** How the calls of each operator are made. */
export interface CallOptions {
  readonly limits: PlatformLimits;
  readonly transport: PlatformTransport;
  readonly observer: PlatformObserver;
  readonly tracer?: PlatformTracer | undefined;
  /** Steady. */
  readonly clock: Clock;
  readonly random: Random;
  readonly exchange: Exchange;
}

/** A call of one operator. */
export interface PlatformCall {
  readonly request: PlatformRequest;
  /** Those that the request was made with. */
  readonly credentials: OperatorCredentials;
  /** The data of the command, which no error repeats. */
  readonly data: object;
  readonly context: CallContext;
}

/**
 * The calls for one operator, from the outside in: signature, retry, admission, circuit, exchange.
 *
 * A connection is held for an attempt, and not for the pauses between attempts.
 */
export class OperatorCalls {
  readonly #options: CallOptions;
  readonly #admission: Admission;
  readonly #policies: OperationPolicies;
  #credentials: OperatorCredentials;
  #roots: PlatformRoots;

  constructor(credentials: OperatorCredentials, options: CallOptions) {
    this.#options = options;
    this.#credentials = credentials;
    this.#admission = new Admission(options.limits);
    this.#roots = this.#rootsOf(credentials);
    this.#policies = new OperationPolicies({
      operator: credentials.name,
      admission: this.#admission,
      ...options,
    });
  }

  /** For a call that begins now. It takes them once, so that none is made with some of those before and some after. */
  get credentials(): OperatorCredentials {
    return this.#credentials;
  }

  /** Uses other credentials for calls that begin from now on; those in flight keep theirs. */
  use(credentials: OperatorCredentials): void {
    const { baseUrl, apiUrl } = this.#credentials;
    this.#credentials = credentials;
    if (credentials.baseUrl === baseUrl && credentials.apiUrl === apiUrl) return;
    this.#roots.retire();
    this.#roots = this.#rootsOf(credentials);
  }

  /** Of the operations that have been used. */
  get policies(): ReadonlyMap<Operation, OperationPolicy> {
    return this.#policies.all();
  }

  /**
   * Calls the platform, and reads the answer if it is a success.
   *
   * @throws CommandError for everything else
   */
  async run<T>(call: PlatformCall, read: (answer: Answer) => T | Promise<T>): Promise<T> {
    const { credentials, data, context } = call;
    const { operation } = call.request;
    if (credentials.secretKey === undefined && OPERATION_TRAITS[operation].scheme !== 'v3') {
      throw new CommandError('SECRET_KEY_MISSING');
    }
    const policy = this.#policies.use(operation);
    const { circuit, rules } = policy;
    const attempts = new Attempts(this.#attemptsOf(call, policy), context);
    // One promise and one suspended function a call: each further one costs a wake-up (docs/decisions/0008).
    const ended = retry(
      await attempts.make(),
      () => attempts.make(),
      rulesOf(call.request, rules),
      context.deadline,
    );
    const end = ended instanceof Promise ? await ended : ended;
    if (end.outcome.kind === 'answered' && statusClass(end.outcome.answer.status) === '2xx') {
      return read(end.outcome.answer);
    }
    const error = await callError(end, {
      operation,
      call: context,
      circuitRetryAfterMs: circuit.retryAfterMs,
      data,
      secretKey: credentials.secretKey,
    });
    if (error.details?.['hint'] === 'signature') {
      this.#options.observer.signatureDoubted(credentials.name, operation);
    }
    throw error;
  }

  async close(): Promise<void> {
    this.#policies.shutdown();
    this.#admission.close();
    await this.#roots.close();
  }

  #rootsOf(credentials: OperatorCredentials): PlatformRoots {
    const { limits, transport } = this.#options;
    return new PlatformRoots(credentials, limits.attemptTimeoutMs, transport);
  }

  #attemptsOf(
    { request, credentials }: PlatformCall,
    { circuit, compartment }: OperationPolicy,
  ): AttemptsOptions {
    const { limits, observer, tracer, exchange } = this.#options;
    const { connections, prefix } = this.#roots[request.root];
    const { origin, headers } = connections.route;
    return {
      operation: request.operation,
      method: request.method,
      root: credentials[request.root],
      pathTemplate: request.pathTemplate,
      request: {
        origin,
        method: request.method,
        path: prefix + request.path,
        headers: headersOf(request, signRequest(request, credentials), headers),
        body: request.body?.text ?? null,
        // undici would close the connection after a GET with a body.
        reset: false,
        // No other request waits for its connection.
        blocking: false,
      },
      connections,
      exchange,
      circuit,
      admission: this.#admission,
      compartment,
      timeoutMs: limits.attemptTimeoutMs,
      observer,
      tracer,
    };
  }
}

function rulesOf({ repeatAfterUnknown }: PlatformRequest, rules: RetryRules): RetryRules {
  return repeatAfterUnknown === undefined ? rules : { ...rules, repeatAfterUnknown };
}

function headersOf(
  { body }: PlatformRequest,
  sign: string | undefined,
  forProxy: readonly string[],
): string[] {
  const headers = ['accept', 'application/vnd.api+json', ...forProxy];
  if (body !== undefined) headers.push('content-type', body.contentType);
  if (sign !== undefined) headers.push('sign', sign);
  return headers;
}
