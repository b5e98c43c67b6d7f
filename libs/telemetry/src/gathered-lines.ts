// With the other parts of the line of an answered command, it saves 8 µs (docs/decisions/0008); pino's own destination would do.

import type { DestinationStream } from 'pino';

/** The longest that a line is buffered. */
const GATHER_MS = 50;
/** More than a busy worker writes in that time, so that usually the time decides: each write wakes another thread. */
const GATHER_BYTES = 64 * 1024;
/** Of one character in UTF-8, counted as JavaScript counts them. */
const MOST_BYTES = 3;

/**
 * Buffers lines and writes many at a time: writing a single line costs more than formatting it. They are kept as bytes,
 * since a text that was put together is a tree of objects, which each garbage collection would visit (decision 0008).
 */
export class GatheredLines implements DestinationStream {
  readonly #target: DestinationStream;
  readonly #lines = Buffer.allocUnsafeSlow(GATHER_BYTES);
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(target: DestinationStream) {
    this.#target = target;
  }

  write(line: string): void {
    const mostBytes = MOST_BYTES * line.length;
    if (this.#bytes + mostBytes > GATHER_BYTES) this.flush();
    if (mostBytes > GATHER_BYTES) {
      this.#target.write(line);
      return;
    }
    this.#bytes += this.#lines.write(line, this.#bytes);
    this.#timer ??= setTimeout(() => this.flush(), GATHER_MS).unref();
  }

  /** Writes the buffered lines. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#bytes === 0) return;
    const lines = this.#lines.toString('utf8', 0, this.#bytes);
    this.#bytes = 0;
    this.#target.write(lines);
  }
}
