import type { DestinationStream } from 'pino';

/** The latest that a line is handed on after it was written. */
const GATHER_MS = 50;
/** More than a busy worker writes in that time, so that it is the time which decides: each write wakes another thread. */
const GATHER_CHARACTERS = 64 * 1024;

/** Hands lines on many at a time: to write a single one costs more than to make it. */
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

  /** Hands on what there is. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines === '') return;
    const lines = this.#lines;
    this.#lines = '';
    this.#target.write(lines);
  }
}
