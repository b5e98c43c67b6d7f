import type { WriteStream } from 'node:tty';

const REFRESH_MS = 1_000;
const BAR_CELLS = 20;

/** Shows how far a run is: one line that changes on a terminal, else a line for each thing done. */
export class Progress implements Disposable {
  readonly #stream: WriteStream;
  readonly #total: number;
  readonly #startedAtMs = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #done = 0;
  #step = '';

  /** @param total how often `done` will be called */
  constructor(total: number, stream: WriteStream = process.stdout) {
    this.#total = total;
    this.#stream = stream;
    if (stream.isTTY) this.#timer = setInterval(() => this.#show(), REFRESH_MS).unref();
  }

  /** What begins now. */
  step(text: string): void {
    this.#step = text;
    this.#show();
  }

  /** @param line stays on the screen */
  done(line: string): void {
    this.#done += 1;
    this.#clear();
    this.#stream.write(`${line}\n`);
    this.#show();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#clear();
  }

  #show(): void {
    if (!this.#stream.isTTY) return;
    const cells = Math.round((this.#done / this.#total) * BAR_CELLS);
    const bar = '█'.repeat(cells).padEnd(BAR_CELLS, '░');
    this.#clear();
    const text = `${bar} ${this.#done} of ${this.#total}${this.#remaining()}  ${this.#step}`;
    this.#stream.write(text.slice(0, (this.#stream.columns || 80) - 1));
  }

  #remaining(): string {
    if (this.#done === 0) return '';
    const elapsedMs = performance.now() - this.#startedAtMs;
    const seconds = Math.round((elapsedMs / this.#done) * (this.#total - this.#done)) / 1_000;
    return `, about ${Math.ceil(seconds)} s left`;
  }

  #clear(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\u001B[K');
  }
}
