import { type CommandData, CommandError } from '#contracts';
import { Admission, steadyClock } from '#resilience';

import type { CallContext, OperatorContext } from './calls/call.ts';
import { OperationCalls, type OperationReport } from './calls/operation-calls.ts';
import type { Operation, PageRequest, Result } from './operations/operation.ts';
import { requestOf, signedOptions } from './operations/request.ts';
import { type CommandIdentity, withSessionId } from './operations/session-id.ts';
import type { OperatorCredentials } from './platform-settings.ts';
import { refuseExtra } from './refuse-extra.ts';
import type { Connection } from './transport/connection.ts';
import { rootsOf } from './transport/connections.ts';

/** Default: connections are direct, and time and chance are those of this process. */
export type PlatformClientOptions = Pick<OperatorContext, 'limits'> &
  Partial<Pick<OperatorContext, 'transport' | 'observer' | 'tracer' | 'clock' | 'random'>>;

/** The signed calls for one operator. A call rejects with a CommandError, or `Abandoned` if its command has left this worker. */
export class PlatformClient {
  readonly #stopping = new AbortController();
  readonly #context: OperatorContext;
  /** Those that have been used. */
  readonly #operations: { [O in Operation]?: OperationCalls<O> } = {};
  /** Also those to former addresses, where calls may be in flight. */
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

  /** The game as it is to be opened: with a session id derived from its command, unless it has one or none is to be sent. */
  withSessionId(game: CommandData['game.open'], command: CommandIdentity): CommandData['game.open'] {
    return withSessionId(game, command, this.#credentials.settings);
  }

  /** Makes a call whose every part is of the present credentials. @param page of a report */
  call<O extends Operation>(
    operation: O,
    data: CommandData[O],
    context: CallContext,
    page?: PageRequest,
  ): Promise<Result<O>> {
    const credentials = this.#credentials;
    const refusal = refuseExtra(operation, data, credentials.settings);
    if (refusal) return Promise.reject(refusal);
    const request = requestOf(operation, data, credentials, page);
    if (credentials.secretKey === undefined && request.root === 'baseUrl') {
      return Promise.reject(new CommandError('SECRET_KEY_MISSING'));
    }
    // No type says that the calls of the key's own operation are created.
    const calls = (this.#operations[operation] ??= new OperationCalls(operation, this.#context) as never);
    const { [request.root]: root } = this.#roots;
    const options = signedOptions(request, credentials, root);
    // The parameters are in the options, as text, which takes less memory while the call waits.
    const { method, pathTemplate, repeatAfterUnknown } = request;
    const facts = { method, pathTemplate, root: request.root, repeatAfterUnknown };
    return calls.make({ request: facts, credentials, connections: root.connections, options, data }, context);
  }

  /** Uses other credentials of this operator for calls that begin from now on; calls in flight keep theirs. */
  use(credentials: OperatorCredentials): void {
    const { baseUrl, apiUrl } = this.#credentials;
    this.#credentials = credentials;
    if (credentials.baseUrl === baseUrl && credentials.apiUrl === apiUrl) return;
    for (const { connections } of Object.values(this.#roots)) connections.retire();
    this.#roots = rootsOf(credentials, this.#context.transport, this.#open);
  }

  /** The operations that have been used. */
  operations(): readonly OperationReport[] {
    return Object.values(this.#operations).map((calls) => calls.report());
  }

  /** Cuts off calls in flight; leaves neither a socket nor a timer behind. */
  async close(): Promise<void> {
    this.#stopping.abort();
    for (const calls of Object.values(this.#operations)) calls.shutdown();
    this.#context.admission.close();
    await Promise.all([...this.#open].map((connection) => connection.destroy()));
  }
}
