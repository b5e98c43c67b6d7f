import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** People who look at the same worker at the same moment. */
const MAX_VIEWERS = 8;
/** How often viewers are sent the present state. */
const LIVE_MS = 1_000;
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

/**
 * Streams of server-sent events to the people who look at the console, limited in number and in what waits for each. A
 * viewer that does not read misses events, and is dropped after ten.
 */
export class Viewers {
  /** Each with how many events in a row it missed, because it had not read the last one. */
  readonly #viewers = new Map<ServerResponse, number>();
  #showing: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param now the present state; it is read once a second for all viewers, and not while there is none */
  constructor(private readonly now: () => unknown) {}

  has(socket: Socket): boolean {
    return this.#viewers.keys().some((response) => response.socket === socket);
  }

  /** Begins a stream with the present state. If there are too many, or the worker is stopping, it says so and ends. */
  admit(response: ServerResponse): void {
    response.writeHead(200, HEADERS);
    if (this.#isClosed) return this.#end(response, 'stopping', RETRY_MS);
    if (this.#viewers.size >= MAX_VIEWERS) return this.#end(response, 'full', RETRY_LATER_MS);
    this.#viewers.set(response, 0);
    response.once('close', () => this.#forget(response));
    response.write(`retry: ${RETRY_MS}\n\n${eventOf('now', this.now())}`);
    this.#showing ??= setInterval(() => this.show(), LIVE_MS).unref();
  }

  /** Sends the present state to each viewer that has read the last event. */
  show(): void {
    const event = eventOf('now', this.now());
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
      this.#end(response, 'stopping', RETRY_MS);
      this.#forget(response);
    }
  }

  #end(response: ServerResponse, reason: 'full' | 'stopping', retryMs: number): void {
    response.end(`retry: ${retryMs}\n\n${eventOf('closing', { reason })}`);
  }

  #forget(response: ServerResponse): void {
    this.#viewers.delete(response);
    if (this.#viewers.size > 0) return;
    clearInterval(this.#showing);
    this.#showing = undefined;
  }
}

function eventOf(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
