import type { DestinationStream } from 'pino';

/** The longest that a line is buffered. */
const GATHER_MS = 50;
/** More than a busy worker writes in that time, so that usually the time decides: each write wakes another thread. */
const GATHER_CHARACTERS = 64 * 1024;

/** Buffers lines and writes many at a time: writing a single line costs more than formatting it. */
export class GatheredLines implements DestinationStream {
  readonly #target: DestinationStream;
  #lines = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(target: DestinationStream) {
    this.#target = target;
  }

  write(line: string): void {
    this.#lines += line;
    if (this.#lines.length >= GATHER_CHARACTERS) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), GATHER_MS).unref();
  }

  /** Writes the buffered lines. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines === '') return;
    const lines = this.#lines;
    this.#lines = '';
    this.#target.write(lines);
  }
}
