import type { Dispatcher } from 'undici';

import type { Answer } from './answer.ts';
import type { Connection, Connections } from './connections.ts';
import { type Phase, wasSent } from './phase.ts';
import { type TransportFault, transportFault } from './transport-fault.ts';

/** What became of one request and its answer. */
export type ExchangeEnd =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'not-sent' | 'lost'; readonly fault: TransportFault };

export interface ExchangeLimits {
  /** From now, all of it: connecting, sending, waiting and reading. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

/** A page of text that explains an error is not read beyond this. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Sends one request and reads its answer within the limits.
 *
 * @param onEnd called once, when the connection is free again
 */
export function exchange(
  connections: Connections,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
  onEnd: (end: ExchangeEnd) => void,
): void {
  const connection = connections.take();
  connection.client.dispatch(request, new ExchangeHandler(connections, connection, limits, onEnd));
}

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
  #isEnded = false;

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
    this.#timer = setTimeout(() => this.#fail('timeout'), timeoutMs);
  }

  onRequestStart(): void {
    this.#phase = 'sent';
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // An early hint or the like; the answer follows.
    if (status < 200) return;
    this.#phase = 'answering';
    this.#status = status;
    this.#retryAfter = only(headers['retry-after']);
    this.#contentEncoding = only(headers['content-encoding']);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isEnded || this.#phase !== 'answering') return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const maxBytes = this.#status < 300 ? this.#maxAnswerBytes : MAX_ERROR_BYTES;
    if (this.#bytes > maxBytes) this.#answer('too-large', 'discard');
  }

  onResponseEnd(): void {
    if (this.#phase !== 'answering') return;
    const [chunk] = this.#chunks;
    const body = chunk && this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#answer(body, 'give-back');
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(transportFault(error, this.#phase));
  }

  #fail(fault: TransportFault): void {
    // A failure is told by its status; the rest of its text would not undo it.
    if (this.#phase === 'answering' && this.#status >= 300) this.#answer('incomplete', 'discard');
    else this.#end({ kind: wasSent(this.#phase) ? 'lost' : 'not-sent', fault }, 'discard');
  }

  #answer(body: Answer['body'], connection: 'give-back' | 'discard'): void {
    const answer = {
      status: this.#status,
      retryAfter: this.#retryAfter,
      contentEncoding: this.#contentEncoding,
      body,
    };
    this.#end({ kind: 'answer', answer }, connection);
  }

  #end(end: ExchangeEnd, connection: 'give-back' | 'discard'): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#timer);
    if (connection === 'give-back') this.#connections.giveBack(this.#connection);
    else this.#connections.discard(this.#connection);
    this.#onEnd(end);
  }
}

function only(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
