import { type CommandData, CommandError } from '#contracts';
import { Admission, steadyClock } from '#resilience';

import type { CallContext, OperatorContext } from './calls/call.ts';
import { OperationCalls, type OperationReport } from './calls/operation-calls.ts';
import type { Operation, PageRequest, Result } from './operations/operation.ts';
import { DEFINITIONS } from './operations/operations.ts';
import { requestOf, signedOptions } from './operations/request.ts';
import type { OperatorCredentials } from './platform-settings.ts';
import { refuseExtra } from './refuse-extra.ts';
import type { Connection } from './transport/connection.ts';
import { rootsOf } from './transport/connections.ts';

/** Defaults: direct connections, and the clock and random source of this process. */
export type PlatformClientOptions = Pick<OperatorContext, 'limits'> &
  Partial<Pick<OperatorContext, 'transport' | 'observer' | 'tracer' | 'clock' | 'random'>>;

/**
 * Makes signed calls for one operator. A call rejects with a CommandError, or with `Abandoned` if this worker
 * has lost the command's delivery.
 */
export class PlatformClient {
  readonly #stopping = new AbortController();
  readonly #context: OperatorContext;
  /** Operations that have been used. */
  readonly #operations: { [O in Operation]?: OperationCalls<O> } = {};
  /** Includes connections to previous URLs, which may have in-flight calls. */
  readonly #open = new Set<Connection>();
  #credentials: OperatorCredentials;
  #roots: ReturnType<typeof rootsOf>;

  constructor(credentials: OperatorCredentials, options: PlatformClientOptions) {
    this.#credentials = credentials;
    const { clock = steadyClock, random = Math.random } = options;
    this.#context = {
      transport: {},
      ...options,
      clock,
      random,
      name: credentials.name,
      admission: new Admission(options.limits, clock, random),
      stopping: this.#stopping.signal,
    };
    this.#roots = rootsOf(credentials, this.#context.transport, this.#open);
  }

  /** Makes a call that uses the current credentials throughout. @param page page number of a report */
  call<O extends Operation>(
    operation: O,
    given: CommandData[O],
    context: CallContext,
    page?: PageRequest,
  ): Promise<Result<O>> {
    const credentials = this.#credentials;
    const { name, settings } = credentials;
    const data = DEFINITIONS[operation].complete?.(given, { ...context, operator: name }, settings) ?? given;
    const refusal = refuseExtra(operation, data, settings);
    if (refusal) return Promise.reject(refusal);
    const request = requestOf(operation, data, credentials, page);
    if (credentials.secretKey === undefined && request.root === 'baseUrl') {
      return Promise.reject(new CommandError('SECRET_KEY_MISSING'));
    }
    // The type system cannot express that the key determines the type of the created calls.
    const calls = (this.#operations[operation] ??= new OperationCalls(operation, this.#context) as never);
    const { [request.root]: root } = this.#roots;
    const options = signedOptions(request, credentials, root);
    // The options already contain the parameters as text, which takes less memory while the call waits.
    const { method, pathTemplate, repeatAfterUnknown } = request;
    const facts = { method, pathTemplate, root: request.root, repeatAfterUnknown };
    return calls.make({ request: facts, credentials, connections: root.connections, options, data }, context);
  }

  /** Replaces the operator's credentials for calls that start from now on; in-flight calls keep theirs. */
  use(credentials: OperatorCredentials): void {
    const { baseUrl, apiUrl } = this.#credentials;
    this.#credentials = credentials;
    if (credentials.baseUrl === baseUrl && credentials.apiUrl === apiUrl) return;
    for (const { connections } of Object.values(this.#roots)) connections.retire();
    this.#roots = rootsOf(credentials, this.#context.transport, this.#open);
  }

  /** Returns a report for each operation that has been used. */
  operations(): readonly OperationReport[] {
    return Object.values(this.#operations).map((calls) => calls.report());
  }

  /** Aborts in-flight calls and closes all sockets and timers. */
  async close(): Promise<void> {
    this.#stopping.abort();
    for (const calls of Object.values(this.#operations)) calls.shutdown();
    this.#context.admission.close();
    await Promise.all([...this.#open].map((connection) => connection.destroy()));
  }
}
