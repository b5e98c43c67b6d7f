const BAR_WIDTH = 30;
const SHORTEST_BAR = 5;
const DEFAULT_COLUMNS = 80;
const REDRAW_MS = 100;
/** How often a line is printed if there is no bar. */
const LINE_MS = 5_000;
const ERASE_TO_END = '\u001b[K';

/**
 * Shows progress on standard error: a bar on a terminal that can erase it, otherwise (and with `CI`)
 * occasional lines.
 */
export class Progress {
  readonly #noun: string;
  readonly #stream: Pick<NodeJS.WriteStream, 'write'> & Partial<NodeJS.WriteStream>;
  readonly #isBar: boolean;
  readonly #startedMs = performance.now();
  readonly #before: number;
  #shownMs = this.#startedMs;
  #total: number | undefined;
  #count: number;

  /** @param before the number done by an earlier run */
  constructor(noun: string, total?: number, before = 0, stream = process.stderr, { TERM, CI } = process.env) {
    this.#noun = noun;
    this.#total = total;
    this.#before = this.#count = before;
    this.#stream = stream;
    this.#isBar = stream.isTTY && TERM !== 'dumb' && !CI;
  }

  add(count: number, total = this.#total): void {
    this.#count += count;
    this.#total = total;
    const nowMs = performance.now();
    if (nowMs - this.#shownMs < (this.#isBar ? REDRAW_MS : LINE_MS)) return;
    this.#shownMs = nowMs;
    const sum = this.#sum((nowMs - this.#startedMs) / 1_000);
    this.#stream.write(this.#isBar ? `\r${this.#bar(sum)}${ERASE_TO_END}` : `${sum}\n`);
  }

  /** Erases the bar, for example before another line is printed. */
  end(): void {
    if (this.#isBar) this.#stream.write(`\r${ERASE_TO_END}`);
  }

  /** Fits the bar into the terminal, because a wrapped line cannot be erased. */
  #bar(sum: string): string {
    const room = (this.#stream.columns ?? DEFAULT_COLUMNS) - 1;
    const width = Math.min(BAR_WIDTH, room - sum.length - '[] '.length);
    if (!this.#total || width < SHORTEST_BAR) return sum.slice(0, room);
    const full = Math.round(Math.min(1, this.#count / this.#total) * width);
    return `[${'='.repeat(full).padEnd(width)}] ${sum}`;
  }

  #sum(seconds: number): string {
    const perSecond = Math.round((this.#count - this.#before) / seconds);
    const of = this.#total === undefined ? '' : ` of ${this.#total}`;
    const speed = `${this.#count}${of} ${this.#noun}, ${perSecond} a second`;
    if (this.#total === undefined || perSecond === 0) return speed;
    const leftSeconds = Math.ceil(Math.max(0, this.#total - this.#count) / perSecond);
    return `${speed}, ${leftSeconds < 90 ? `${leftSeconds} s` : `${Math.ceil(leftSeconds / 60)} min`} left`;
  }
}
