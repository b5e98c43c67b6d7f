import { CommandError, extentsDiffer, mostPagesOf, type ReportName, spansIntervals } from '#contracts';
import type { CommandContext } from '#messaging';
import { type CollectionPage, CooperativeTask } from '#platform';

import { SeenIds } from './seen-ids.ts';

/** Number of identities processed between two checks of the clock. */
const SLICE = 256;

/** A page with the arrival time of the platform's answer. */
export type ReadPage = CollectionPage & { readonly readAtMs: number };

type Progress = NonNullable<CommandContext['progress']>;

/** The state of a report before its first page; a later run continues from its latest value. */
const START = {
  pages: 0,
  records: 0,
  /** Records whose id occurred before. */
  repeats: 0,
  /** Repeats whose figures differed. */
  changed: 0,
  faults: 0,
  requested: 0,
  firstTotal: 0,
  firstPages: 0,
  firstPerPage: 0,
  lastTotal: 0,
  /** Arrival of the first and the last answer, in epoch milliseconds. */
  readFrom: 0,
  readTo: 0,
  changedWhileReading: false,
  /** True if every page was published and only `report.completed` is missing. */
  isDone: false,
};

/** Counts the published pages and records of a report, and determines whether the report is complete. */
export class ReportTally {
  readonly #seed: number;
  readonly #state: typeof START;
  #ids: SeenIds | undefined;

  /**
   * @param progress progress of an earlier run; ignored if a field is missing or invalid
   * @param perPage records to request per page, if there was no earlier run
   * @param seed seed of the hash of ids
   */
  constructor(progress: Progress | undefined, perPage: number, seed: number) {
    this.#seed = seed;
    this.#state = isComplete(progress) ? { ...progress } : { ...START, requested: perPage };
  }

  get state(): Readonly<typeof START> {
    return this.#state;
  }

  /** Records the totals that a page reports, whether or not the page is published. */
  compare(page: ReadPage): void {
    const state = this.#state;
    if (state.readTo === 0) {
      state.firstTotal = page.totalCount;
      state.firstPages = page.pageCount;
      state.firstPerPage = page.perPage;
      state.readFrom = page.readAtMs;
    }
    const { firstTotal: totalCount, firstPages: pageCount, firstPerPage: perPage } = state;
    state.changedWhileReading ||= extentsDiffer(page, { totalCount, pageCount, perPage });
    state.lastTotal = page.totalCount;
    state.readTo = Math.max(state.readTo, page.readAtMs);
  }

  /** Counts the records of a published page. */
  async add({ identities, digests, totalCount, faultCount }: CollectionPage): Promise<void> {
    const state = this.#state;
    state.pages += 1;
    state.records += identities.length;
    state.faults += faultCount;
    this.#ids ??= new SeenIds(totalCount, this.#seed);
    const task = new CooperativeTask();
    for (const [index, identity] of identities.entries()) {
      if (index % SLICE === 0) await task.yieldIfDue();
      const seen = this.#ids.add(identity, digests[index] ?? 0);
      if (seen !== 'new') state.repeats += 1;
      if (seen === 'changed') state.changed += 1;
    }
  }

  /**
   * @throws CommandError `PLATFORM_PROTOCOL_ERROR` if more pages were published than the report could have
   *   grown to
   */
  refuseEndless(): void {
    const { pages, firstPages } = this.#state;
    if (pages < mostPagesOf(firstPages)) return;
    const reason = `the report has no end: of ${firstPages} pages at first, ${pages} were read`;
    throw new CommandError('PLATFORM_PROTOCOL_ERROR', { details: { reason } });
  }

  /**
   * @param isWhole true if every page was requested, so that the number of records must equal the platform's
   *   total
   */
  completed(report: ReportName, isWhole: boolean) {
    const { pages, records, repeats, changed, faults, lastTotal, readFrom, readTo } = this.#state;
    // A total of 0 in a report that has records means that the platform does not count them.
    const missing = isWhole && lastTotal > 0 ? lastTotal - (records - repeats) : 0;
    return {
      report,
      pages,
      records,
      totalCount: lastTotal,
      changedWhileReading: this.#state.changedWhileReading || repeats > 0 || missing !== 0,
      repeated: repeats,
      changed,
      missing,
      readFrom: new Date(readFrom).toISOString(),
      readTo: new Date(readTo).toISOString(),
      spansIntervals: spansIntervals(readFrom, readTo),
      faults,
    };
  }
}

function isComplete(progress: Progress | undefined): progress is typeof START {
  return Object.entries(START).every(([name, initial]) => {
    const value = progress?.[name];
    return typeof initial === 'boolean'
      ? typeof value === 'boolean'
      : Number.isSafeInteger(value) && Number(value) >= 0;
  });
}
