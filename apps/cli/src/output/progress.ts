const BAR_WIDTH = 30;
const SHORTEST_BAR = 5;
const DEFAULT_COLUMNS = 80;
const REDRAW_MS = 100;
/** Where there is no terminal: a line now and then. */
const LINE_MS = 5_000;
const ERASE = '\r\u001b[K';

/** What progress is shown on; standard error is one. */
export type ProgressStream = Pick<NodeJS.WriteStream, 'write'> &
  Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>>;

interface ProgressOptions {
  readonly total?: number | undefined;
  /** How many were done by an earlier run. */
  readonly before?: number;
  readonly stream?: ProgressStream;
  readonly environment?: NodeJS.ProcessEnv;
}

/**
 * How far a longer piece of work is, on standard error: a bar on a terminal, plain lines elsewhere. A terminal that cannot
 * erase (`TERM=dumb`) and the log of a build (`CI`) get lines, too.
 */
export class Progress {
  readonly #stream: ProgressStream;
  readonly #noun: string;
  readonly #isBar: boolean;
  readonly #startedMs = performance.now();
  readonly #before: number;
  #shownMs = performance.now();
  #total: number | undefined;
  #count: number;
  #isShown = false;

  /** @param noun what is counted, such as `records` */
  constructor(noun: string, options: ProgressOptions = {}) {
    const { total, before = 0, stream = process.stderr, environment = process.env } = options;
    this.#noun = noun;
    this.#total = total;
    this.#before = this.#count = before;
    this.#stream = stream;
    this.#isBar = stream.isTTY === true && environment['TERM'] !== 'dumb' && !environment['CI'];
  }

  /** @param total if it has changed */
  add(count: number, total = this.#total): void {
    this.#count += count;
    this.#total = total;
    const nowMs = performance.now();
    if (nowMs - this.#shownMs < (this.#isBar ? REDRAW_MS : LINE_MS)) return;
    this.#shownMs = nowMs;
    this.#stream.write(this.#isBar ? `\r${this.#bar()}\u001b[K` : `${this.#sum()}\n`);
    this.#isShown = this.#isBar;
  }

  /** Takes the bar away, as before a line on the same terminal; what was done is for its user to say. */
  end(): void {
    if (this.#isShown) this.#stream.write(ERASE);
    this.#isShown = false;
  }

  /** As wide as the terminal allows: a line that wraps cannot be erased. */
  #bar(): string {
    const sum = this.#sum();
    const room = (this.#stream.columns ?? DEFAULT_COLUMNS) - 1;
    const width = Math.min(BAR_WIDTH, room - sum.length - '[] '.length);
    if (!this.#total || width < SHORTEST_BAR) return sum.slice(0, room);
    const full = Math.round(Math.min(1, this.#count / this.#total) * width);
    return `[${'='.repeat(full)}${' '.repeat(width - full)}] ${sum}`;
  }

  #sum(): string {
    const perSecond = Math.round(
      ((this.#count - this.#before) * 1_000) / (performance.now() - this.#startedMs),
    );
    const of = this.#total === undefined ? '' : ` of ${this.#total}`;
    return `${this.#count}${of} ${this.#noun}, ${perSecond} a second${this.#left(perSecond)}`;
  }

  /** How long the rest takes at this speed. */
  #left(perSecond: number): string {
    if (this.#total === undefined || perSecond === 0) return '';
    const seconds = Math.ceil(Math.max(0, this.#total - this.#count) / perSecond);
    return seconds < 90 ? `, ${seconds} s left` : `, ${Math.ceil(seconds / 60)} min left`;
  }
}
