import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** People who look at the same worker at the same moment. */
const MAX_VIEWERS = 8;
/** Events in a row, one each second. */
const MAX_MISSED = 10;
/** How soon a browser comes back after it lost the stream, and if there are too many. */
const RETRY_MS = 2_000;
const RETRY_LATER_MS = 10_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // A proxy that gathers events would show the past.
  'x-accel-buffering': 'no',
};

/** Why a browser is sent away. */
type Refusal = 'full' | 'stopping';

/**
 * Streams of server-sent events to the people who look at the console, limited in number and in what waits for each. A
 * viewer that does not read misses events, and is dropped after ten.
 */
export class Viewers {
  /** With the events in a row that were not sent, because the one before is still unread. */
  readonly #viewers = new Map<ServerResponse, number>();
  readonly #onChange: (count: number) => void;
  #isClosed = false;

  /** @param onChange called with the number of viewers when one came or went */
  constructor(onChange: (count: number) => void) {
    this.#onChange = onChange;
  }

  /** Whether a connection belongs to a viewer. */
  has(socket: Socket): boolean {
    return this.#viewers.keys().some((response) => response.socket === socket);
  }

  /** Begins a stream with what is now, unless there are too many or the worker is stopping: then it says so, and ends. */
  admit(response: ServerResponse, now: () => unknown): void {
    response.writeHead(200, HEADERS);
    const refusal = this.#refusal();
    if (refusal !== undefined) {
      const retryMs = refusal === 'full' ? RETRY_LATER_MS : RETRY_MS;
      response.end(`retry: ${retryMs}\n\n${eventOf('closing', { reason: refusal })}`);
      return;
    }
    this.#viewers.set(response, 0);
    response.once('close', () => this.#forget(response));
    response.write(`retry: ${RETRY_MS}\n\n${eventOf('now', now())}`);
    this.#onChange(this.#viewers.size);
  }

  /** Shows what is now to each viewer who has read what was before. */
  show(data: unknown): void {
    const event = eventOf('now', data);
    for (const [response, before] of this.#viewers) {
      const missed = response.writableNeedDrain ? before + 1 : 0;
      this.#viewers.set(response, missed);
      if (missed === 0) response.write(event);
      else if (missed > MAX_MISSED) response.destroy();
    }
  }

  /** Ends every stream at once, and begins no other. */
  close(): void {
    this.#isClosed = true;
    for (const response of this.#viewers.keys()) {
      response.end(eventOf('closing', { reason: 'stopping' satisfies Refusal }));
      this.#forget(response);
    }
  }

  #refusal(): Refusal | undefined {
    if (this.#isClosed) return 'stopping';
    return this.#viewers.size < MAX_VIEWERS ? undefined : 'full';
  }

  #forget(response: ServerResponse): void {
    if (this.#viewers.delete(response)) this.#onChange(this.#viewers.size);
  }
}

function eventOf(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
