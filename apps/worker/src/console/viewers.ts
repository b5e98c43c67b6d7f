import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MAX_VIEWERS = 8;
const LIVE_MS = 1_000;
/** Consecutive missed events before a viewer is disconnected. */
const MAX_MISSED = 10;
/** Delay before a browser reconnects after it lost the stream. */
const RETRY_MS = 2_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // Turns off buffering in proxies, which would delay events.
  'x-accel-buffering': 'no',
};

/**
 * Server-sent event streams to viewers of the console, at most eight. Each viewer receives the current state
 * once a second. A viewer that does not read misses events, and is disconnected after more than ten in a row.
 */
export class Viewers {
  /**
   * Each viewer, with the number of consecutive events it has missed because it was still reading the
   * previous one.
   */
  readonly #viewers = new Map<ServerResponse, number>();
  #showing: NodeJS.Timeout | undefined;
  #isClosed = false;

  /**
   * @param now returns the current state; called for each new viewer, once a second for all viewers, and
   *   never without one
   */
  constructor(private readonly now: () => unknown) {}

  has(socket: Socket): boolean {
    return this.#viewers.keys().some((response) => response.socket === socket);
  }

  /**
   * Starts a stream with the current state. If there are too many viewers, or the worker is stopping, sends
   * the reason and ends the stream.
   */
  admit(response: ServerResponse): void {
    response.writeHead(200, HEADERS);
    if (this.#isClosed) return end(response, 'stopping');
    if (this.#viewers.size >= MAX_VIEWERS) return end(response, 'full');
    this.#viewers.set(response, 0);
    response.once('close', () => this.#forget(response));
    response.write(`retry: ${RETRY_MS}\n\n${eventOf('now', this.now())}`);
    this.#showing ??= setInterval(() => this.show(), LIVE_MS).unref();
  }

  /** Sends the current state to each viewer that has read the previous event. */
  show(): void {
    const event = eventOf('now', this.now());
    for (const [response, before] of this.#viewers) {
      const missed = response.writableNeedDrain ? before + 1 : 0;
      this.#viewers.set(response, missed);
      if (missed === 0) response.write(event);
      else if (missed > MAX_MISSED) response.destroy();
    }
  }

  /** Ends all streams immediately and accepts no new ones. */
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
