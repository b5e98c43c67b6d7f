import {
  type AdHocReportFetch,
  CommandError,
  type GameOpen,
  type GameOpened,
  type RakeReportFetch,
  type SessionCreate,
  type SessionCreated,
} from '#contracts';
import type { CircuitState } from '#resilience';

import { UnexpectedDocument } from './answers/document.ts';
import type { UrlRules } from './answers/player-texts.ts';
import { readBody } from './answers/read-body.ts';
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
import type { Answer } from './transport/answer.ts';
import { dispatchExchange } from './transport/dispatch-exchange.ts';

const DEFAULTS = {
  transport: {},
  observer: new NoPlatformObserver(),
  clock: Date.now,
  random: Math.random,
  exchange: dispatchExchange,
};

/** The state of one circuit, for health and metrics. */
export interface CircuitReport {
  readonly operator: string;
  readonly operation: Operation;
  readonly state: CircuitState;
  /** Until a call may go through, while none may. */
  readonly retryAfterMs?: number;
  /** When a call last asked to go through, in milliseconds since the epoch. */
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
    return this.#run({ request, credentials, data, context }, (text) => readSession(text, data.userId, urls));
  }

  openGame(data: GameOpen, context: CallContext): Promise<GameOpened> {
    const { credentials } = this.#calls;
    const urls = urlsOf(credentials, 'apiUrl');
    const request = gameRequest(data, credentials.clientId, credentials.settings.playerCountryMember);
    return this.#run({ request, credentials, data, context }, (text) => readGame(text, data.player.id, urls));
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
    return this.#calls.run(call, (answer) => readReport(answer, call, shape));
  }

  #run<T>(call: PlatformCall, read: (text: string) => T): Promise<T> {
    return this.#calls.run(call, (answer) => readAnswer(answer, call.request.operation, read));
  }
}

/** A platform that is itself reached without TLS may send its players there, too. */
function urlsOf(credentials: OperatorCredentials, root: 'baseUrl' | 'apiUrl'): UrlRules {
  return { mayBeHttp: credentials[root].startsWith('http:'), hosts: credentials.settings.urlHosts };
}

/** @throws CommandError `PLATFORM_PROTOCOL_ERROR` if a success is not the document that the interface promises */
function readAnswer<T>(answer: Answer, operation: Operation, read: (text: string) => T): T {
  try {
    return read(textOf(answer, operation));
  } catch (error) {
    throw protocolError(error, answer);
  }
}

/** The same for a page of a report, in slices. */
async function readReport(
  answer: Answer,
  { request, credentials }: PlatformCall,
  shape: RecordShape,
): Promise<CollectionPage> {
  const { reportRecords } = credentials.settings;
  try {
    return await readCollection(() => textOf(answer, request.operation), shape, reportRecords);
  } catch (error) {
    throw protocolError(error, answer);
  }
}

/** @throws UnexpectedDocument */
function textOf(answer: Answer, operation: Operation): string {
  const body = readBody(answer, OPERATION_TRAITS[operation].maxAnswerBytes);
  if (body.kind === 'unreadable') throw new UnexpectedDocument(`the body is unreadable: ${body.reason}`);
  if (!body.isUtf8) throw new UnexpectedDocument('the body is not UTF-8');
  return body.text;
}

function protocolError(error: unknown, answer: Answer): unknown {
  if (!(error instanceof UnexpectedDocument)) return error;
  return new CommandError('PLATFORM_PROTOCOL_ERROR', {
    details: { reason: error.message },
    platform: { status: answer.status, errors: [] },
  });
}
