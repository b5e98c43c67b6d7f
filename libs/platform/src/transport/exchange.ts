import type { Dispatcher } from 'undici';

import { tlsFaultOf } from '#tls';

import type { Connection, Connections } from './connections.ts';
import { ProxyError } from './route.ts';

/** An answer of the platform. */
export interface Answer {
  readonly status: number;
  /** By their names in lower case; a list if one came more than once. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Its bytes as they came, or why they cannot be used. */
  readonly body: Buffer | 'too-large' | 'incomplete';
}

export type StatusClass = '2xx' | '3xx' | '4xx' | '5xx';

/** Every status from 500 up is a failure of the platform, also one that HTTP does not know. */
export function statusClass(status: number): StatusClass {
  if (status >= 500) return '5xx';
  if (status >= 400) return '4xx';
  return status >= 300 ? '3xx' : '2xx';
}

/** How far an exchange has come; `unsent` is connecting. */
type Phase = 'unsent' | 'sent' | 'answering';

/** Why a request got no complete answer. */
export type TransportFault =
  /** The connection was refused. */
  | 'refused'
  /** No connection for another reason: DNS, routing. */
  | 'unreachable'
  /** The platform's certificate is from an unknown authority, for another host, or expired. */
  | 'certificate'
  /** The platform demands a client certificate, or refuses ours. */
  | 'client-certificate'
  /** No connection to the proxy. */
  | 'proxy-unreachable'
  /** The proxy answers, and does not connect to the platform. */
  | 'proxy-refused'
  /** The proxy does not answer. */
  | 'proxy-timeout'
  | 'timeout'
  /** The connection ended before the answer began, or within it. */
  | 'reset'
  | 'truncated'
  /** The answer is not HTTP, or begins with a `100 Continue` that nobody asked for, at which undici ends the connection. */
  | 'malformed'
  /** The client was closed. */
  | 'closed';

/** A request without a complete answer: nobody knows what the other side did, unless it was not sent. */
export interface Unanswered {
  readonly kind: 'not-sent' | 'unknown';
  readonly fault: TransportFault;
  /** What a proxy answered instead of connecting. */
  readonly proxyStatus?: number | undefined;
}

/** What became of one request. */
export type ExchangeEnd = Unanswered | { readonly kind: 'answer'; readonly answer: Answer };

export interface ExchangeLimits {
  /** From now, for all of it: connecting, sending, waiting and reading. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

const FAULT_OF_CODE: ReadonlyMap<string, TransportFault> = new Map([
  ['ECONNREFUSED', 'refused'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout'],
  ['UND_ERR_HEADERS_OVERFLOW', 'malformed'],
  ['UND_ERR_DESTROYED', 'closed'],
]);

/** The text of an error is not read beyond this, compressed or not. */
export const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Sends one request over a connection of its own, and reads its answer within the limits.
 *
 * `request()` with an interceptor would do. `dispatch()` and one client a connection save a quarter of a bare client's CPU
 * (docs/decisions/0008): 0.09 ms a call with everything on, where bare `request()` takes 0.12 (docs/decisions/0006).
 */
export function exchange(
  connections: Connections,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
): Promise<ExchangeEnd> {
  return new Promise((resolve) => {
    const connection = connections.acquire();
    connection.client.dispatch(request, new ExchangeHandler(connections, connection, limits, resolve));
  });
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #connections: Connections;
  readonly #connection: Connection;
  readonly #maxAnswerBytes: number;
  readonly #onEnd: (end: ExchangeEnd) => void;
  readonly #timer: NodeJS.Timeout;
  /** undici announces a request right before writing it: one that was announced may have been carried out, whatever follows. */
  #phase: Phase = 'unsent';
  #status = 0;
  #headers: Answer['headers'] = {};
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #hasEnded = false;

  constructor(
    connections: Connections,
    connection: Connection,
    { timeoutMs, maxAnswerBytes }: ExchangeLimits,
    onEnd: (end: ExchangeEnd) => void,
  ) {
    this.#connections = connections;
    this.#connection = connection;
    this.#maxAnswerBytes = maxAnswerBytes;
    this.#onEnd = onEnd;
    this.#timer = setTimeout(() => this.#expire(), timeoutMs);
  }

  onRequestStart(): void {
    this.#phase = 'sent';
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Answer['headers'],
  ): void {
    // An informational response; the answer follows.
    if (status < 200) return;
    this.#phase = 'answering';
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded || this.#phase !== 'answering') return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const maxBytes = this.#status < 300 ? this.#maxAnswerBytes : MAX_ERROR_BYTES;
    if (this.#bytes > maxBytes) this.#answer('too-large');
  }

  onResponseEnd(): void {
    if (this.#phase === 'answering') this.#answer(Buffer.concat(this.#chunks));
  }

  onResponseError(_controller: unknown, error: Error): void {
    const proxyStatus = error instanceof ProxyError ? error.status : undefined;
    this.#fail(transportFault(this.#connection.firstError ?? error, this.#phase), proxyStatus);
  }

  #expire(): void {
    this.#fail(this.#connection.connecting?.isAtProxy ? 'proxy-timeout' : 'timeout');
  }

  #fail(fault: TransportFault, proxyStatus?: number): void {
    // The status tells a failure; the rest of its text would not undo it.
    if (this.#phase === 'answering' && this.#status >= 300) return this.#answer('incomplete');
    // A client learns that its certificate was refused after it has begun to write; the server has read nothing.
    const isLost = this.#phase !== 'unsent' && fault !== 'client-certificate';
    this.#end({ kind: isLost ? 'unknown' : 'not-sent', fault, proxyStatus });
  }

  #answer(body: Answer['body']): void {
    this.#end({ kind: 'answer', answer: { status: this.#status, headers: this.#headers, body } });
  }

  #end(end: ExchangeEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    const isWhole = end.kind === 'answer' && Buffer.isBuffer(end.answer.body);
    if (isWhole) this.#connections.release(this.#connection);
    else this.#connections.discard(this.#connection);
    this.#onEnd(end);
  }
}

/**
 * Names an error of undici or of the socket; the error itself is not passed on, since some hold what was received.
 *
 * @param phase how far the exchange had come
 */
function transportFault(error: Error, phase: Phase): TransportFault {
  if (error instanceof ProxyError) return error.status === undefined ? 'proxy-unreachable' : 'proxy-refused';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = FAULT_OF_CODE.get(code);
  if (known !== undefined) return known;
  const tlsFault = tlsFaultOf(error);
  if (tlsFault === 'client-certificate') return tlsFault;
  if (tlsFault !== undefined && tlsFault !== 'no-tls') return 'certificate';
  if (phase === 'unsent') return 'unreachable';
  if (phase === 'answering') return 'truncated';
  return error.name === 'HTTPParserError' || error.message === 'bad response' ? 'malformed' : 'reset';
}
