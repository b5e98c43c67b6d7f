import { isUtf8 } from 'node:buffer';

import {
  type AdHocReportFetch,
  CommandError,
  type GameOpen,
  type GameOpened,
  type RakeReportFetch,
  type SessionCreate,
  type SessionCreated,
} from '#contracts';
import { type CircuitState, steadyClock } from '#resilience';

import { UnexpectedDocument } from './answers/document.ts';
import type { UrlRules } from './answers/player-texts.ts';
import { type Body, readBody } from './answers/read-body.ts';
import { type CollectionPage, readCollection } from './answers/read-collection.ts';
import { readGame } from './answers/read-game.ts';
import { readSession } from './answers/read-session.ts';
import { AD_HOC_RECORD, RAKE_RECORD, type RecordShape } from './answers/record-shapes.ts';
import type { CallContext } from './call-context.ts';
import { type CallOptions, OperatorCalls, type PlatformCall } from './calls/operator-calls.ts';
import { type Operation, OPERATION_TRAITS } from './operations.ts';
import { NoPlatformObserver } from './platform-observer.ts';
import type { OperatorCredentials, PlatformLimits } from './platform-settings.ts';
import { gameRequest } from './requests/game-request.ts';
import { adHocReportRequest, type PageRequest, rakeRequest } from './requests/report-requests.ts';
import { sessionRequest } from './requests/session-request.ts';
import { dispatchExchange } from './transport/dispatch-exchange.ts';

const DEFAULTS = {
  transport: {},
  observer: new NoPlatformObserver(),
  clock: steadyClock,
  random: Math.random,
  exchange: dispatchExchange,
};

/** The state of one circuit, for health and metrics. */
export interface CircuitReport {
  readonly operator: string;
  readonly operation: Operation;
  readonly state: CircuitState;
  /** What the last unhealthy call ended with, such as `HTTP 503` or `timeout`; absent while it is closed. */
  readonly cause?: string;
  /** Until a call may go through, while none may. */
  readonly retryAfterMs?: number;
  /** When a call last asked to go through, by the steady clock. */
  readonly lastUsedAtMs: number;
}

/** The calls of one operation, for health and metrics. */
export interface CallsReport {
  readonly operator: string;
  readonly operation: Operation;
  readonly inFlight: number;
  /** For a connection. */
  readonly waiting: number;
  /** Retries that are left, of 100; below 1 none is made. */
  readonly retriesLeft: number;
}

/** Default: nothing is observed, connections are direct, and time, chance and network are those of this process. */
export type PlatformClientOptions = { readonly limits: PlatformLimits } & Partial<CallOptions>;

/** The four signed calls for one operator. A call rejects with a CommandError, and with nothing else. */
export class PlatformClient {
  readonly #calls: OperatorCalls;

  constructor(credentials: OperatorCredentials, options: PlatformClientOptions) {
    this.#calls = new OperatorCalls(credentials, { ...DEFAULTS, ...options });
  }

  /** Whether a game that is opened without a session id is to be sent one that is derived from the command's identity. */
  get derivesSessionIds(): boolean {
    return this.#calls.credentials.settings.sessionId === 'derive';
  }

  createSession(data: SessionCreate, context: CallContext): Promise<SessionCreated> {
    const { credentials } = this.#calls;
    const urls = urlsOf(credentials, 'baseUrl');
    const request = sessionRequest(data, credentials.clientId);
    return this.#run({ request, credentials, data, context }, (body) =>
      readSession(body.toString(), data.userId, urls, credentials.settings.sessionUserId),
    );
  }

  openGame(data: GameOpen, context: CallContext): Promise<GameOpened> {
    const { credentials } = this.#calls;
    const urls = urlsOf(credentials, 'apiUrl');
    const request = gameRequest(data, credentials.clientId, credentials.settings.playerCountryMember);
    return this.#run({ request, credentials, data, context }, (body) =>
      readGame(body.toString(), data.player.id, urls),
    );
  }

  fetchAdHocReport(data: AdHocReportFetch, page: PageRequest, context: CallContext): Promise<CollectionPage> {
    const { credentials } = this.#calls;
    const request = adHocReportRequest(data, page, credentials.clientId);
    return this.#readReport({ request, credentials, data, context }, AD_HOC_RECORD);
  }

  fetchRake(data: RakeReportFetch, page: PageRequest, context: CallContext): Promise<CollectionPage> {
    const { credentials } = this.#calls;
    const request = rakeRequest(data, page, credentials.clientId, credentials.settings.rakeParametersIn);
    return this.#readReport({ request, credentials, data, context }, RAKE_RECORD);
  }

  /** Uses other credentials of this operator for calls that begin from now on; those in flight keep theirs. */
  use(credentials: OperatorCredentials): void {
    this.#calls.use(credentials);
  }

  /** Of the operations that have been used. */
  circuits(): readonly CircuitReport[] {
    return [...this.#calls.policies].map(([operation, { circuit, lastUsedAtMs }]) => ({
      operator: this.#calls.credentials.name,
      operation,
      state: circuit.state,
      ...(circuit.cause !== undefined && { cause: circuit.cause }),
      ...(circuit.retryAfterMs > 0 && { retryAfterMs: circuit.retryAfterMs }),
      lastUsedAtMs,
    }));
  }

  /** What is in flight and waits, of the operations that have been used. */
  calls(): readonly CallsReport[] {
    return [...this.#calls.policies].map(([operation, { compartment, rules }]) => ({
      operator: this.#calls.credentials.name,
      operation,
      inFlight: compartment.inFlight,
      waiting: compartment.waiting.size,
      retriesLeft: rules.budget.left,
    }));
  }

  /** Cuts off calls in flight; leaves neither a socket nor a timer behind. */
  close(): Promise<void> {
    return this.#calls.close();
  }

  #readReport(call: PlatformCall, shape: RecordShape): Promise<CollectionPage> {
    const { settings, currencyPrecisions } = call.credentials;
    return this.#run(call, (body) =>
      readCollection(body, shape, { strictness: settings.reportRecords, precisions: currencyPrecisions }),
    );
  }

  /** @throws CommandError also if a success is not the document that the interface promises */
  #run<T>(call: PlatformCall, read: (body: Buffer) => T | Promise<T>): Promise<T> {
    const { maxAnswerBytes } = OPERATION_TRAITS[call.request.operation];
    return this.#calls.run(call, (answer) => {
      const fail = (error: unknown): never => {
        throw protocolError(error, answer.status);
      };
      // Not awaited: a call has one suspended function (docs/decisions/0008).
      try {
        const body = readBody(answer, maxAnswerBytes);
        if (!('kind' in body)) return body.then((later) => read(utf8Of(later))).catch(fail);
        const result = read(utf8Of(body));
        return result instanceof Promise ? result.catch(fail) : result;
      } catch (error) {
        return fail(error);
      }
    });
  }
}

/** A platform that is itself reached without TLS may send its players there, too. */
function urlsOf(credentials: OperatorCredentials, root: 'baseUrl' | 'apiUrl'): UrlRules {
  return { mayBeHttp: credentials[root].startsWith('http:'), hosts: credentials.settings.urlHosts };
}

/** @throws UnexpectedDocument */
function utf8Of(body: Body): Buffer {
  if (body.kind === 'unreadable') throw new UnexpectedDocument(`the body is unreadable: ${body.reason}`);
  if (!isUtf8(body.bytes)) throw new UnexpectedDocument('the body is not UTF-8');
  return body.bytes;
}

function protocolError(error: unknown, status: number): unknown {
  if (!(error instanceof UnexpectedDocument)) return error;
  return new CommandError('PLATFORM_PROTOCOL_ERROR', {
    details: { reason: error.message },
    platform: { status, errors: [] },
  });
}
