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
import { OperatorCalls, type Sources } from './calls/operator-calls.ts';
import { type Operation, OPERATION_TRAITS } from './operations.ts';
import { NoPlatformObserver, type PlatformObserver } from './platform-observer.ts';
import type { OperatorCredentials, PlatformLimits, PlatformSettings } from './platform-settings.ts';
import { gameRequest } from './requests/game-request.ts';
import type { PlatformRequest } from './requests/platform-request.ts';
import { adHocReportRequest, type PageRequest, rakeRequest } from './requests/report-requests.ts';
import { sessionRequest } from './requests/session-request.ts';
import type { Answer } from './transport/answer.ts';

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
}

/** The four signed calls for one operator. A call rejects with a CommandError, and with nothing else. */
export class PlatformClient {
  readonly #credentials: OperatorCredentials;
  readonly #calls: OperatorCalls;

  constructor(
    credentials: OperatorCredentials,
    limits: PlatformLimits,
    observer: PlatformObserver = new NoPlatformObserver(),
    sources: Sources = { clock: Date.now, random: Math.random },
  ) {
    this.#credentials = credentials;
    this.#calls = new OperatorCalls(credentials, limits, observer, sources);
  }

  /** Whether a game that is opened without a session id is to be sent one that is derived from the command's identity. */
  get derivesSessionIds(): boolean {
    return this.#credentials.settings.sessionId === 'derive';
  }

  createSession(data: SessionCreate, call: CallContext): Promise<SessionCreated> {
    const { clientId, baseUrl } = this.#credentials;
    const urls = this.#urlsOf(baseUrl);
    return this.#call(sessionRequest(data, clientId), data, call, (text) =>
      readSession(text, data.userId, urls),
    );
  }

  openGame(data: GameOpen, call: CallContext): Promise<GameOpened> {
    const { clientId, apiUrl, settings } = this.#credentials;
    const urls = this.#urlsOf(apiUrl);
    return this.#call(gameRequest(data, clientId, settings.playerCountryMember), data, call, (text) =>
      readGame(text, data.player.id, urls),
    );
  }

  fetchAdHocReport(data: AdHocReportFetch, page: PageRequest, call: CallContext): Promise<CollectionPage> {
    const { clientId, settings } = this.#credentials;
    const request = adHocReportRequest(data, page, clientId);
    return this.#calls.run(request, data, call, (answer) =>
      readReport(answer, AD_HOC_RECORD, request.operation, settings.reportRecords),
    );
  }

  fetchRake(data: RakeReportFetch, page: PageRequest, call: CallContext): Promise<CollectionPage> {
    const { clientId, settings } = this.#credentials;
    const request = rakeRequest(data, page, clientId, settings.rakeParametersIn);
    return this.#calls.run(request, data, call, (answer) =>
      readReport(answer, RAKE_RECORD, request.operation, settings.reportRecords),
    );
  }

  /** Of the operations that have been used. */
  circuits(): readonly CircuitReport[] {
    return [...this.#calls.policies].map(([operation, { circuit, lastUsedAtMs }]) => ({
      operator: this.#credentials.name,
      operation,
      state: circuit.state,
      ...(circuit.retryAfterMs > 0 && { retryAfterMs: circuit.retryAfterMs }),
      lastUsedAtMs,
    }));
  }

  /** Of the operations that have been used. */
  calls(): readonly CallsReport[] {
    return [...this.#calls.policies].map(([operation, { compartment }]) => ({
      operator: this.#credentials.name,
      operation,
      inFlight: compartment.inFlight,
      waiting: compartment.waiting.size,
    }));
  }

  /** Cuts off calls in flight; leaves neither a socket nor a timer behind. */
  close(): Promise<void> {
    return this.#calls.close();
  }

  /** A platform that is itself reached without TLS may send its players there, too. */
  #urlsOf(root: string): UrlRules {
    return { mayBeHttp: root.startsWith('http:'), hosts: this.#credentials.settings.urlHosts };
  }

  #call<T>(request: PlatformRequest, data: object, call: CallContext, read: (text: string) => T): Promise<T> {
    return this.#calls.run(request, data, call, (answer) => readAnswer(answer, request.operation, read));
  }
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
  shape: RecordShape,
  operation: Operation,
  strictness: PlatformSettings['reportRecords'],
): Promise<CollectionPage> {
  try {
    return await readCollection(textOf(answer, operation), shape, strictness);
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
