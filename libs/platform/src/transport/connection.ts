import { Client, type Dispatcher } from 'undici';

import { tlsFaultOf } from '#tls';

import { type Connecting, ProxyError, type Route } from './route.ts';

/** An answer of the platform. */
export interface Answer {
  /** `transient` is a failure that is expected to pass. */
  readonly kind: 'answered' | 'transient';
  readonly status: number;
  /** By their names in lower case; a list if one came more than once. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Its bytes as they came, or why they cannot be used. */
  readonly body: Buffer | 'too-large' | 'incomplete';
  /** Of a transient one, if it says so. */
  readonly retryAfterMs?: number | undefined;
}

export type StatusClass = `${2 | 3 | 4 | 5}xx`;

/** Every status from 500 up is a failure of the platform, also one that HTTP does not know. */
export function statusClass(status: number): StatusClass {
  return `${Math.min(Math.trunc(status / 100), 5) as 2 | 3 | 4 | 5}xx`;
}

/** Why a request got no complete answer. */
export type TransportFault =
  | 'refused'
  /** No connection for another reason: DNS, routing. */
  | 'unreachable'
  /** The platform's is from an unknown authority, for another host, or expired. */
  | 'certificate'
  /** The platform demands one, or refuses ours. */
  | 'client-certificate'
  | 'proxy-unreachable'
  /** The proxy answers, and does not connect to the platform. */
  | 'proxy-refused'
  | 'proxy-timeout'
  | 'timeout'
  /** The connection ended before the answer began, or within it. */
  | 'reset'
  | 'truncated'
  /** Not HTTP, or it begins with a `100 Continue` that nobody asked for, at which undici ends the connection. */
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

/** How a request ended. */
export type End = Answer | Unanswered;

/** The text of an error is not read beyond this, compressed or not. */
export const MAX_ERROR_BYTES = 64 * 1024;
/** A connection that has been idle for longer is not used again: the other side may be closing it at that moment. */
const KEEP_ALIVE_MS = 4000;
/** However long the other side offers to keep a connection. */
const MAX_KEEP_ALIVE_MS = 5000;
const FAULT_OF_CODE: ReadonlyMap<unknown, TransportFault> = new Map([
  ['ECONNREFUSED', 'refused'],
  ['UND_ERR_HEADERS_OVERFLOW', 'malformed'],
  ['UND_ERR_DESTROYED', 'closed'],
]);

/**
 * One connection to the platform, which carries one request at a time: an undici client of its own, so that undici never
 * queues, and a request that is cut off ends at once, also while it is connecting. `dispatch()` saves a quarter of the CPU
 * that `request()` takes (docs/decisions/0008).
 */
export class Connection implements Dispatcher.DispatchHandler {
  readonly #client: Client;
  #connecting: Connecting | undefined;
  /** The first error of its socket. undici passes on the last one, which no longer says that a certificate was refused. */
  #firstError: Error | undefined;
  /** Ends the request in flight; `undefined`: there is none. */
  #resolve: ((end: End) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #maxAnswerBytes = 0;
  /** undici announces a request right before writing it: one that was announced may have been carried out, whatever follows. */
  #isSent = false;
  /** 0 until the answer begins. */
  #status = 0;
  #headers: Answer['headers'] = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** @param onEnd called after each request, and if the other side closes it; it is reusable only after a whole answer */
  constructor(
    { origin, connect }: Route,
    private readonly onEnd: (connection: Connection, isReusable: boolean) => void,
  ) {
    this.#client = new Client(origin, {
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      // undici's own timeouts are coarse: a request has one of ours.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) => {
        this.#firstError = undefined;
        this.#connecting = connect(options, (...result) => {
          this.#connecting = undefined;
          result[1]?.once('error', (error: Error) => (this.#firstError = error));
          callback(...result);
        });
      },
    });
    this.#client.on('disconnect', () => {
      if (!this.#resolve) onEnd(this, false);
    });
  }

  /**
   * Sends a request, and reads its answer.
   *
   * @param timeoutMs from now, for all of it: connecting, sending, waiting and reading
   */
  request(options: Dispatcher.DispatchOptions, timeoutMs: number, maxAnswerBytes: number): Promise<End> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#timer = setTimeout(this.#expire, timeoutMs);
      this.#maxAnswerBytes = maxAnswerBytes;
      this.#isSent = false;
      this.#status = 0;
      this.#bytes = 0;
      this.#client.dispatch(options, this);
    });
  }

  /** Cuts off what is in flight. */
  destroy(): Promise<void> {
    const destroyed = this.#client.destroy();
    this.#connecting?.stream.destroy(new Error('cut off'));
    return destroyed;
  }

  onRequestStart(): void {
    this.#isSent = true;
  }

  onResponseStart(_controller: unknown, status: number, headers: Answer['headers']): void {
    // An informational response; the answer follows.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (!this.#resolve || this.#status === 0) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > (this.#status < 300 ? this.#maxAnswerBytes : MAX_ERROR_BYTES))
      this.#answer('too-large');
  }

  onResponseEnd(): void {
    if (this.#status === 0) return;
    const [first] = this.#chunks;
    this.#answer(first?.length === this.#bytes ? first : Buffer.concat(this.#chunks));
  }

  onResponseError(_controller: unknown, error: Error): void {
    const proxyStatus = error instanceof ProxyError ? error.status : undefined;
    this.#fail(this.#faultOf(this.#firstError ?? error), proxyStatus);
  }

  readonly #expire = (): void => this.#fail(this.#connecting?.isAtProxy ? 'proxy-timeout' : 'timeout');

  #fail(fault: TransportFault, proxyStatus?: number): void {
    // The status tells a failure; the rest of its text would not undo it.
    if (this.#status >= 300) return this.#answer('incomplete');
    // A client learns that its certificate was refused after it has begun to write; the server has read nothing.
    const isLost = this.#isSent && fault !== 'client-certificate';
    this.#end({ kind: isLost ? 'unknown' : 'not-sent', fault, proxyStatus });
  }

  #answer(body: Answer['body']): void {
    this.#end({ kind: 'answered', status: this.#status, headers: this.#headers, body });
  }

  #end(end: End): void {
    const resolve = this.#resolve;
    if (!resolve) return;
    this.#resolve = undefined;
    clearTimeout(this.#timer);
    this.#chunks = [];
    this.onEnd(this, 'body' in end && typeof end.body !== 'string');
    resolve(end);
  }

  /** Names an error of undici or of the socket; the error itself is not passed on, since some hold what was received. */
  #faultOf(error: Error): TransportFault {
    if (error instanceof ProxyError)
      return error.status === undefined ? 'proxy-unreachable' : 'proxy-refused';
    const known = FAULT_OF_CODE.get((error as NodeJS.ErrnoException).code);
    if (known !== undefined) return known;
    const tlsFault = tlsFaultOf(error);
    if (tlsFault === 'client-certificate') return tlsFault;
    if (tlsFault !== undefined && tlsFault !== 'no-tls') return 'certificate';
    if (!this.#isSent) return 'unreachable';
    if (this.#status > 0) return 'truncated';
    return error.name === 'HTTPParserError' || error.message === 'bad response' ? 'malformed' : 'reset';
  }
}
