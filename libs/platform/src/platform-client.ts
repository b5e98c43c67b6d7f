import { isUtf8 } from 'node:buffer';

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

import { UnexpectedDocument } from './answers/document.ts';
import { readBody } from './answers/read-body.ts';
import { type CollectionPage, readCollection } from './answers/read-collection.ts';
import { readGame, readSession, type UrlRules } from './answers/read-launch.ts';
import { AD_HOC_RECORD, RAKE_RECORD, type RecordShape } from './answers/read-record.ts';
import { callError } from './calls/call-error.ts';
import {
  type CallContext,
  type CallOptions,
  type CallsReport,
  type CircuitReport,
  OperationCalls,
  type OperatorShare,
  type SignedCall,
} from './calls/operation-calls.ts';
import { type Operation, OPERATION_TRAITS } from './operations.ts';
import type { OperatorCredentials, PlatformLimits } from './platform-settings.ts';
import { type PageRequest, type PlatformRequest, requestOf, signRequest } from './requests.ts';
import { type Connections, rootsOf } from './transport/connections.ts';
import { type Answer, statusClass } from './transport/exchange.ts';

/** Default: connections are direct, and time and chance are those of this process. */
export type PlatformClientOptions = { readonly limits: PlatformLimits } & Partial<CallOptions>;

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
    const { sessionUserId } = this.#credentials.settings;
    const urls = urlsOf(this.#credentials, 'baseUrl');
    return this.#run('session.create', data, context, (body) =>
      readSession(body.toString(), data.userId, urls, sessionUserId),
    );
  }

  openGame(data: GameOpen, context: CallContext): Promise<GameOpened> {
    const urls = urlsOf(this.#credentials, 'apiUrl');
    return this.#run('game.open', data, context, (body) => readGame(body.toString(), data.player.id, urls));
  }

  fetchAdHocReport(data: AdHocReportFetch, page: PageRequest, context: CallContext): Promise<CollectionPage> {
    return this.#run('report.ad-hoc.fetch', data, context, this.#pageReader(AD_HOC_RECORD), page);
  }

  fetchRake(data: RakeReportFetch, page: PageRequest, context: CallContext): Promise<CollectionPage> {
    return this.#run('report.rake.fetch', data, context, this.#pageReader(RAKE_RECORD), page);
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
    for (const { circuit } of this.#operations.values()) circuit.shutdown();
    this.#admission.close();
    const current = Object.values(this.#roots).map(({ connections }) => connections);
    await Promise.all([...this.#retired, ...current].map((connections) => connections.close()));
  }

  #pageReader(shape: RecordShape): (body: Buffer) => Promise<CollectionPage> {
    const { settings, currencyPrecisions: precisions } = this.#credentials;
    const strictness = settings.reportRecords;
    return (body) => readCollection(body, shape, { strictness, precisions });
  }

  /**
   * Calls the platform, and reads the answer if it is a success. Credentials and roots are read before its first wait, so
   * that no call is made with some of those before a change and some after.
   *
   * @param data no error repeats it
   * @param page of a report
   * @throws CommandError for everything else
   */
  async #run<O extends Operation, T>(
    operation: O,
    data: CommandData[O],
    context: CallContext,
    read: (body: Buffer) => T | Promise<T>,
    page?: PageRequest,
  ): Promise<T> {
    const { name, secretKey } = this.#credentials;
    const request = requestOf(operation, data, this.#credentials, page);
    if (secretKey === undefined && request.root === 'baseUrl') throw new CommandError('SECRET_KEY_MISSING');
    let calls = this.#operations.get(operation);
    if (!calls) this.#operations.set(operation, (calls = new OperationCalls(operation, this.#share)));
    const end = await calls.make(this.#sign(request), context);
    if (end.outcome.kind === 'answered' && statusClass(end.outcome.answer.status) === '2xx') {
      return await readAnswer(end.outcome.answer, OPERATION_TRAITS[operation].maxAnswerBytes, read);
    }
    const circuitRetryAfterMs = calls.circuit.retryAfterMs;
    const error = await callError(end, { operation, call: context, circuitRetryAfterMs, data, secretKey });
    if (error.details?.['hint'] === 'signature') this.#share.observer?.signatureDoubted(name, operation);
    throw error;
  }

  #sign(request: PlatformRequest): SignedCall {
    const { method, path, body } = request;
    const { connections, prefix } = this.#roots[request.root];
    const { origin, headers: proxyHeaders } = connections.route;
    const sign = signRequest(request, this.#credentials);
    const headers = ['accept', 'application/vnd.api+json', ...proxyHeaders];
    if (body !== undefined) headers.push('content-type', body.contentType);
    if (sign !== undefined) headers.push('sign', sign);
    return {
      request,
      root: this.#credentials[request.root],
      connections,
      options: {
        origin,
        method,
        path: prefix + path,
        headers,
        body: body?.text ?? null,
        // undici would close the connection after a GET with a body.
        reset: false,
        // No other request waits for its connection.
        blocking: false,
      },
    };
  }
}

/** A platform that is itself reached without TLS may send its players there, too. */
function urlsOf(credentials: OperatorCredentials, root: 'baseUrl' | 'apiUrl'): UrlRules {
  return { mayBeHttp: credentials[root].startsWith('http:'), hosts: credentials.settings.urlHosts };
}

/** @throws CommandError if a success is not the document that the interface promises */
async function readAnswer<T>(
  answer: Answer,
  maxBytes: number,
  parse: (body: Buffer) => T | Promise<T>,
): Promise<T> {
  try {
    const read = readBody(answer, maxBytes);
    const body = Buffer.isBuffer(read) ? read : await read;
    if (!isUtf8(body)) throw new UnexpectedDocument('the body is not UTF-8');
    const result = parse(body);
    return result instanceof Promise ? await result : result;
  } catch (error) {
    if (!(error instanceof UnexpectedDocument)) throw error;
    throw new CommandError('PLATFORM_PROTOCOL_ERROR', {
      details: { reason: error.message },
      platform: { status: answer.status, errors: [] },
    });
  }
}
