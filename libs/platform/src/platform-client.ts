import {
  type AdHocReportFetch,
  type CommandData,
  CommandError,
  type GameOpen,
  type GameOpened,
  type RakeReportFetch,
  type SessionCreate,
  type SessionCreated,
} from '#contracts';
import { Admission, steadyClock } from '#resilience';

import { type CollectionPage, readCollection } from './answers/read-collection.ts';
import { readGame, readSession } from './answers/read-launch.ts';
import { AD_HOC_RECORD, RAKE_RECORD } from './answers/read-record.ts';
import {
  type Call,
  type CallContext,
  type CallsReport,
  type CircuitReport,
  OperationCalls,
  type OperatorShare,
} from './calls/operation-calls.ts';
import type { Operation } from './operations.ts';
import type { OperatorCredentials } from './platform-settings.ts';
import { type PageRequest, requestOf, signedOptions } from './requests.ts';
import { type Connections, rootsOf } from './transport/connections.ts';

/** Default: connections are direct, and time and chance are those of this process. */
export type PlatformClientOptions = Pick<OperatorShare, 'limits'> &
  Partial<Pick<OperatorShare, 'transport' | 'observer' | 'tracer' | 'clock' | 'random'>>;

/** The four signed calls for one operator. A call rejects with a CommandError, and with nothing else. */
export class PlatformClient {
  readonly #admission: Admission;
  readonly #stopping = new AbortController();
  readonly #share: OperatorShare;
  /** The operations that have been used. */
  readonly #operations = new Map<Operation, OperationCalls>();
  #credentials: OperatorCredentials;
  #roots: ReturnType<typeof rootsOf>;
  /** The connections of former addresses, where calls may be in flight. */
  readonly #retired: Connections[] = [];

  constructor(credentials: OperatorCredentials, options: PlatformClientOptions) {
    this.#credentials = credentials;
    this.#admission = new Admission(options.limits);
    this.#share = {
      transport: {},
      clock: steadyClock,
      random: Math.random,
      ...options,
      operator: credentials.name,
      admission: this.#admission,
      stopping: this.#stopping.signal,
    };
    this.#roots = rootsOf(credentials, this.#share);
  }

  /** Whether a game that is opened without a session id is to be sent one that is derived from the command's identity. */
  get derivesSessionIds(): boolean {
    return this.#credentials.settings.sessionId === 'derive';
  }

  createSession(data: SessionCreate, context: CallContext): Promise<SessionCreated> {
    return this.#call('session.create', data, context, readSession);
  }

  openGame(data: GameOpen, context: CallContext): Promise<GameOpened> {
    return this.#call('game.open', data, context, readGame);
  }

  fetchAdHocReport(data: AdHocReportFetch, page: PageRequest, context: CallContext): Promise<CollectionPage> {
    const read = (body: Buffer, reader: OperatorCredentials) => readCollection(body, AD_HOC_RECORD, reader);
    return this.#call('report.ad-hoc.fetch', data, context, read, page);
  }

  fetchRake(data: RakeReportFetch, page: PageRequest, context: CallContext): Promise<CollectionPage> {
    const read = (body: Buffer, reader: OperatorCredentials) => readCollection(body, RAKE_RECORD, reader);
    return this.#call('report.rake.fetch', data, context, read, page);
  }

  /** Uses other credentials of this operator for calls that begin from now on; calls in flight keep theirs. */
  use(credentials: OperatorCredentials): void {
    const { baseUrl, apiUrl } = this.#credentials;
    this.#credentials = credentials;
    if (credentials.baseUrl === baseUrl && credentials.apiUrl === apiUrl) return;
    for (const { connections } of Object.values(this.#roots)) {
      connections.retire();
      this.#retired.push(connections);
    }
    this.#roots = rootsOf(credentials, this.#share);
  }

  /** The circuits of the operations that have been used. */
  circuits(): readonly CircuitReport[] {
    return [...this.#operations.values()].map((calls) => calls.circuitReport());
  }

  /** What is in flight and waits, of the operations that have been used. */
  calls(): readonly CallsReport[] {
    return [...this.#operations.values()].map((calls) => calls.callsReport());
  }

  /** Cuts off calls in flight; leaves neither a socket nor a timer behind. */
  async close(): Promise<void> {
    this.#stopping.abort();
    for (const calls of this.#operations.values()) calls.shutdown();
    this.#admission.close();
    const current = Object.values(this.#roots).map(({ connections }) => connections);
    await Promise.all([...this.#retired, ...current].map((connections) => connections.close()));
  }

  /** Makes a call whose every part is of the present credentials. @param page of a report */
  #call<O extends Operation, T>(
    operation: O,
    data: CommandData[O],
    context: CallContext,
    read: Call<CommandData[O], T>['read'],
    page?: PageRequest,
  ): Promise<T> {
    const credentials = this.#credentials;
    const request = requestOf(operation, data, credentials, page);
    if (credentials.secretKey === undefined && request.root === 'baseUrl') {
      return Promise.reject(new CommandError('SECRET_KEY_MISSING'));
    }
    let calls = this.#operations.get(operation);
    if (!calls) this.#operations.set(operation, (calls = new OperationCalls(operation, this.#share)));
    const root = this.#roots[request.root];
    const options = signedOptions(request, credentials, root);
    return calls.make({ request, credentials, connections: root.connections, options, data, read }, context);
  }
}
