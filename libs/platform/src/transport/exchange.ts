import type { Dispatcher } from 'undici';

import type { Answer } from './answer.ts';
import type { Connection, Connections } from './connections.ts';
import { type Progress, wasSent } from './progress.ts';
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

/** Sends one request and reads its answer within the limits, on a connection that is free again when it settles. */
export function exchange(
  connections: Connections,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
): Promise<ExchangeEnd> {
  return new Promise((resolve) => {
    const connection = connections.take();
    const handler = new ExchangeHandler(connections, connection, limits, resolve);
    connection.client.dispatch(request, handler);
  });
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #connections: Connections;
  readonly #connection: Connection;
  readonly #maxAnswerBytes: number;
  readonly #resolve: (end: ExchangeEnd) => void;
  readonly #timer: NodeJS.Timeout;
  #progress: Progress = { phase: 'unsent' };
  #isEnded = false;

  constructor(
    connections: Connections,
    connection: Connection,
    { timeoutMs, maxAnswerBytes }: ExchangeLimits,
    resolve: (end: ExchangeEnd) => void,
  ) {
    this.#connections = connections;
    this.#connection = connection;
    this.#maxAnswerBytes = maxAnswerBytes;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#fail('timeout'), timeoutMs);
  }

  onRequestStart(): void {
    this.#progress = { phase: 'sent' };
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // An early hint or the like; the answer follows.
    if (status < 200) return;
    const head = {
      status,
      retryAfter: only(headers['retry-after']),
      contentEncoding: only(headers['content-encoding']),
    };
    this.#progress = { phase: 'answering', head, chunks: [], bytes: 0 };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const progress = this.#progress;
    if (this.#isEnded || progress.phase !== 'answering') return;
    progress.chunks.push(chunk);
    progress.bytes += chunk.length;
    const maxBytes = progress.head.status < 300 ? this.#maxAnswerBytes : MAX_ERROR_BYTES;
    if (progress.bytes > maxBytes) {
      this.#end({ kind: 'answer', answer: { ...progress.head, body: 'too-large' } }, 'discard');
    }
  }

  onResponseEnd(): void {
    const progress = this.#progress;
    if (progress.phase !== 'answering') return;
    const [first, ...more] = progress.chunks;
    const body = more.length > 0 ? Buffer.concat(progress.chunks) : (first ?? Buffer.alloc(0));
    this.#end({ kind: 'answer', answer: { ...progress.head, body } }, 'give-back');
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(transportFault(error, this.#progress.phase));
  }

  #fail(fault: TransportFault): void {
    const progress = this.#progress;
    if (progress.phase === 'answering' && progress.head.status >= 300) {
      // A failure is told by its status; the rest of its text would not undo it.
      this.#end({ kind: 'answer', answer: { ...progress.head, body: 'incomplete' } }, 'discard');
    } else {
      this.#end({ kind: wasSent(progress) ? 'lost' : 'not-sent', fault }, 'discard');
    }
  }

  #end(end: ExchangeEnd, connection: 'give-back' | 'discard'): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#timer);
    if (connection === 'give-back') this.#connections.giveBack(this.#connection);
    else this.#connections.discard(this.#connection);
    this.#resolve(end);
  }
}

function only(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
