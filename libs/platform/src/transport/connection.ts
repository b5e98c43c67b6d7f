import { Client, type Dispatcher } from 'undici';

import { tlsFaultOf } from '#tls';

import { type Connecting, ProxyError, type Route } from './route.ts';

export interface Answer {
  /** `transient` is a failure that is expected to pass. */
  readonly kind: 'answered' | 'transient';
  readonly status: number;
  /** Header values by lower-case name; a list if a header occurred more than once. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The bytes as received, or the reason why they cannot be used. */
  readonly body: Buffer | 'too-large' | 'incomplete';
  /** Set only for a transient answer that states a delay. */
  readonly retryAfterMs?: number | undefined;
}

export type StatusClass = `${2 | 3 | 4 | 5}xx`;

/** Returns the class of a status. Statuses of 600 and above, which HTTP does not define, count as `5xx`. */
export function statusClass(status: number): StatusClass {
  return `${Math.min(Math.trunc(status / 100), 5) as 2 | 3 | 4 | 5}xx`;
}

/** Why a request got no complete answer. */
export type TransportFault =
  | 'refused'
  /** Connecting failed for another reason, such as DNS or routing. */
  | 'unreachable'
  /** The platform's certificate is from an unknown authority, for another host, or expired. */
  | 'certificate'
  /** The platform requires a client certificate, or rejects ours. */
  | 'client-certificate'
  | 'proxy-unreachable'
  /** The proxy answers, but does not connect to the platform. */
  | 'proxy-refused'
  | 'proxy-timeout'
  | 'timeout'
  /** The connection ended before the answer began (`reset`) or during it (`truncated`). */
  | 'reset'
  | 'truncated'
  /**
   * The answer is not HTTP, or begins with an unsolicited `100 Continue`, at which undici closes the
   * connection.
   */
  | 'malformed'
  /** The client was closed. */
  | 'closed';

/** A request without a complete answer. Unless it was not sent, its effect on the platform is unknown. */
export interface Unanswered {
  readonly kind: 'not-sent' | 'unknown';
  readonly fault: TransportFault;
  /** The HTTP status with which a proxy refused to connect. */
  readonly proxyStatus?: number | undefined;
}

export type End = Answer | Unanswered;

/** Limit on the body of an error answer, before and after decompression. */
export const MAX_ERROR_BYTES = 64 * 1024;
/**
 * A connection that has been idle for longer is not reused, because the platform may be closing it at that
 * moment.
 */
const KEEP_ALIVE_MS = 4000;
/** Upper limit on the keep-alive time that the platform offers. */
const MAX_KEEP_ALIVE_MS = 5000;
const FAULT_OF_CODE: ReadonlyMap<unknown, TransportFault> = new Map([
  ['ECONNREFUSED', 'refused'],
  ['UND_ERR_HEADERS_OVERFLOW', 'malformed'],
  ['UND_ERR_DESTROYED', 'closed'],
]);

/**
 * One connection to the platform, which carries one request at a time. It has its own undici client, so that
 * undici never queues, and an aborted request ends immediately, even while connecting. `dispatch()` uses a
 * quarter less CPU than `request()` (docs/decisions/0008).
 */
export class Connection implements Dispatcher.DispatchHandler {
  readonly #client: Client;
  #connecting: Connecting | undefined;
  /**
   * The first error of the socket. undici reports the last one, which no longer tells that a certificate was
   * rejected.
   */
  #firstError: Error | undefined;
  /** Resolves the in-flight request; `undefined` if there is none. */
  #resolve: ((end: End) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #maxAnswerBytes = 0;
  /**
   * Set by `onRequestStart`, which undici calls right before it writes a request. From then on, the platform
   * may have processed it.
   */
  #isSent = false;
  /** 0 until the answer begins. */
  #status = 0;
  #headers: Answer['headers'] = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  /**
   * @param onEnd called after each request, and if the platform closes the connection; `isReusable` only
   *   after a complete answer
   */
  constructor(
    { origin, connect }: Route,
    private readonly onEnd: (connection: Connection, isReusable: boolean) => void,
  ) {
    this.#client = new Client(origin, {
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      // undici's timeouts are coarse, so `request` sets a timer of its own.
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
   * Sends a request and reads the answer.
   *
   * @param timeoutMs for the whole request: connecting, sending, waiting and reading
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

  /** Closes the connection and aborts the in-flight request. */
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
    // The status already tells that the call failed; the rest of the body would not change that.
    if (this.#status >= 300) return this.#answer('incomplete');
    // A rejected client certificate is reported after writing has begun, but the server has not read the
    // request.
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

  /**
   * Classifies an error of undici or of the socket. The error itself is not passed on, because it may contain
   * received data.
   */
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
