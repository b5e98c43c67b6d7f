import type { Dispatcher } from 'undici';

import type { Answer } from './answer.ts';
import type { Connection, Connections } from './connections.ts';
import type { Exchange, ExchangeEnd, ExchangeLimits } from './exchange.ts';
import { type Phase, wasSent } from './phase.ts';
import { ProxyError } from './proxy.ts';
import { type TransportFault, transportFault } from './transport-fault.ts';

/** The text of an error is not read beyond this. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * An exchange by undici's `dispatch()` with a handler of our own.
 *
 * `request()` with an interceptor would do. `dispatch()` and one client a connection save a quarter of a bare client's CPU
 * (docs/decisions/0008): 0.09 ms a call with everything on, where bare `request()` takes 0.12 (docs/decisions/0006).
 */
export const dispatchExchange: Exchange = (connections, request, limits, onEnd) => {
  const connection = connections.acquire();
  connection.client.dispatch(request, new ExchangeHandler(connections, connection, limits, onEnd));
};

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #connections: Connections;
  readonly #connection: Connection;
  readonly #maxAnswerBytes: number;
  readonly #onEnd: (end: ExchangeEnd) => void;
  readonly #timer: NodeJS.Timeout;
  #phase: Phase = 'unsent';
  #status = 0;
  #retryAfter: string | undefined;
  #contentEncoding: string | undefined;
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
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // An informational response; the answer follows.
    if (status < 200) return;
    this.#phase = 'answering';
    this.#status = status;
    this.#retryAfter = firstOf(headers['retry-after']);
    this.#contentEncoding = firstOf(headers['content-encoding']);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded || this.#phase !== 'answering') return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const maxBytes = this.#status < 300 ? this.#maxAnswerBytes : MAX_ERROR_BYTES;
    if (this.#bytes > maxBytes) this.#answer('too-large', 'discard');
  }

  onResponseEnd(): void {
    if (this.#phase !== 'answering') return;
    const [chunk] = this.#chunks;
    const body = chunk && this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#answer(body, 'release');
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
    if (this.#phase === 'answering' && this.#status >= 300) this.#answer('incomplete', 'discard');
    else {
      // A client learns that its certificate was refused after it has begun to write; the server has read nothing.
      const isLost = wasSent(this.#phase) && fault !== 'client-certificate';
      this.#end({ kind: isLost ? 'lost' : 'not-sent', fault, proxyStatus }, 'discard');
    }
  }

  #answer(body: Answer['body'], then: 'release' | 'discard'): void {
    const answer = {
      status: this.#status,
      retryAfter: this.#retryAfter,
      contentEncoding: this.#contentEncoding,
      body,
    };
    this.#end({ kind: 'answer', answer }, then);
  }

  #end(end: ExchangeEnd, then: 'release' | 'discard'): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    if (then === 'release') this.#connections.release(this.#connection);
    else this.#connections.discard(this.#connection);
    this.#onEnd(end);
  }
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
