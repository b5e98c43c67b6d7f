import type { ReportPage, ReportSummary } from './report-page.ts';

/**
 * A report that is read while it is fetched: pages by `for await (const page of report)`, or records by
 * `report.records()`, once. A page is acknowledged after the loop's body, so that a slow reader slows the worker down and
 * holds no memory.
 */
export class Report<R> implements AsyncIterable<ReportPage<R>> {
  readonly #pages: AsyncGenerator<ReportPage<R>, void>;
  #isRead = false;
  #summary: ReportSummary | undefined;

  /** @param pages given once; its return value is the end of the report */
  constructor(pages: AsyncGenerator<ReportPage<R>, ReportSummary>) {
    this.#pages = this.#read(pages);
  }

  /** What the worker counted; `undefined` until the loop has ended. */
  get summary(): ReportSummary | undefined {
    return this.#summary;
  }

  /**
   * @throws CallerError as the worker answers, or `NO_WORKER`, `NOT_SENT`, `NO_REPLY`, `REPLY_LOST`; the signal's reason
   * @throws TypeError if it is looped over a second time
   */
  [Symbol.asyncIterator](): AsyncGenerator<ReportPage<R>, void> {
    if (this.#isRead) throw new TypeError('A report can be read once: fetch it again.');
    this.#isRead = true;
    return this.#pages;
  }

  /** Each record of each page. @throws CallerError as the pages do */
  async *records(): AsyncGenerator<R, void> {
    for await (const page of this) yield* page.records;
  }

  async *#read(pages: AsyncGenerator<ReportPage<R>, ReportSummary>): AsyncGenerator<ReportPage<R>, void> {
    this.#summary = yield* pages;
  }
}
