const BAR_WIDTH = 30;
const REDRAW_MS = 100;
/** Where there is no terminal: a line now and then. */
const LINE_MS = 5_000;

/** How far a longer piece of work is, on standard error: a bar on a terminal, plain lines elsewhere. */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #noun: string;
  readonly #startedMs = performance.now();
  #shownMs = performance.now();
  #total: number | undefined;
  #count = 0;

  /** @param noun what is counted, such as `records` */
  constructor(noun: string, total?: number, stream: NodeJS.WriteStream = process.stderr) {
    this.#noun = noun;
    this.#total = total;
    this.#stream = stream;
  }

  /** @param total if it has changed */
  add(count: number, total = this.#total): void {
    this.#count += count;
    this.#total = total;
    const nowMs = performance.now();
    if (nowMs - this.#shownMs < (this.#stream.isTTY ? REDRAW_MS : LINE_MS)) return;
    this.#shownMs = nowMs;
    this.#stream.write(this.#stream.isTTY ? `\r${this.#bar()}\u001b[K` : `${this.#sum()}\n`);
  }

  /** Takes the bar away; what was done is for its user to say. */
  end(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\u001b[K');
  }

  #bar(): string {
    const share = this.#total ? Math.min(1, this.#count / this.#total) : 0;
    const full = Math.round(share * BAR_WIDTH);
    return `[${'='.repeat(full)}${' '.repeat(BAR_WIDTH - full)}] ${this.#sum()}`;
  }

  #sum(): string {
    const perSecond = Math.round((this.#count * 1_000) / (performance.now() - this.#startedMs));
    const of = this.#total === undefined ? '' : ` of ${this.#total}`;
    return `${this.#count}${of} ${this.#noun}, ${perSecond} a second`;
  }
}
