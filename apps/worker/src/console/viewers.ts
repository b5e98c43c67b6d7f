import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MAX_VIEWERS = 8;
const LIVE_MS = 1_000;
/** Events in a row. */
const MAX_MISSED = 10;
/** How soon a browser comes back after it lost the stream. */
const RETRY_MS = 2_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // A proxy that gathers events would show the past.
  'x-accel-buffering': 'no',
};

/**
 * Streams of server-sent events to the people who look at the console: eight at most, of whom each is sent the present
 * state once a second. A viewer that does not read misses events, and is dropped after ten.
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
    if (this.#isClosed) return end(response, 'stopping');
    if (this.#viewers.size >= MAX_VIEWERS) return end(response, 'full');
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
      end(response, 'stopping');
      this.#forget(response);
    }
  }

  #forget(response: ServerResponse): void {
    this.#viewers.delete(response);
    if (this.#viewers.size > 0) return;
    clearInterval(this.#showing);
    this.#showing = undefined;
  }
}

function end(response: ServerResponse, reason: 'full' | 'stopping'): void {
  response.end(eventOf('closing', { reason }));
}

function eventOf(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
