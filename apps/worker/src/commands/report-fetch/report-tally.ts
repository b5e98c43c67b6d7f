import {
  CommandError,
  extentsDiffer,
  mostPagesOf,
  type ReportCompleted,
  type ReportExtent,
  type ReportName,
  spansIntervals,
} from '#contracts';
import type { CommandContext } from '#messaging';
import type { CollectionPage } from '#platform';
import { Slices } from '#resilience';

import { SeenIds } from './seen-ids.ts';

/** Identities between two looks at the clock. */
const SLICE = 256;

/** A page, and when the platform's answer arrived. */
export type ReadPage = CollectionPage & { readonly readAtMs: number };

type Progress = NonNullable<CommandContext['progress']>;

const COUNTS = ['pages', 'records', 'repeats', 'changed', 'faults'] as const;
const FACTS = [
  'requested',
  'firstTotal',
  'firstPages',
  'firstPerPage',
  'lastTotal',
  'readFrom',
  'readTo',
] as const;

/** What was published of a report so far, and whether it can be whole. */
export class ReportTally {
  /** How many records a page were requested. */
  readonly perPage: number;
  /** Whether an earlier run published every page, so that only `report.completed` is missing. */
  readonly isDone: boolean = false;
  readonly #seed: number;
  /** `repeats` are records whose id had come before, `changed` those of them whose figures differed. */
  readonly #counts = { pages: 0, records: 0, repeats: 0, changed: 0, faults: 0 };
  #hasChanged = false;
  #first: (ReportExtent & Pick<ReadPage, 'readAtMs'>) | undefined;
  #totalCount = 0;
  #readToMs = 0;
  #ids: SeenIds | undefined;

  /**
   * @param progress of an earlier run; it is ignored unless it is complete
   * @param perPage how many records a page to request, if there was no earlier run
   * @param seed for the hash of ids
   */
  constructor(progress: Progress | undefined, perPage: number, seed: number) {
    this.#seed = seed;
    this.perPage = perPage;
    if (!isComplete(progress)) return;
    for (const name of COUNTS) this.#counts[name] = progress[name];
    const { firstTotal: totalCount, firstPages: pageCount, readFrom: readAtMs } = progress;
    this.perPage = progress.requested;
    this.isDone = progress['isDone'] === true;
    this.#hasChanged = progress['changedWhileReading'] === true;
    this.#first = { totalCount, pageCount, perPage: progress.firstPerPage, readAtMs };
    this.#totalCount = progress.lastTotal;
    this.#readToMs = progress.readTo;
  }

  /** How many pages were published. */
  get pages(): number {
    return this.#counts.pages;
  }

  /** Notes what a page says of the report, whether it is published or not. */
  compare(page: ReportExtent & Pick<ReadPage, 'readAtMs'>): void {
    const { totalCount, pageCount, perPage, readAtMs } = page;
    this.#first ??= { totalCount, pageCount, perPage, readAtMs };
    this.#totalCount = totalCount;
    this.#readToMs = Math.max(this.#readToMs, readAtMs);
    this.#hasChanged ||= extentsDiffer(page, this.#first);
  }

  /** Counts the records of a page that was published. */
  async add({ identities, digests, totalCount, faultCount }: CollectionPage): Promise<void> {
    const counts = this.#counts;
    counts.pages += 1;
    counts.records += identities.length;
    counts.faults += faultCount;
    this.#ids ??= new SeenIds(totalCount, this.#seed);
    const slices = new Slices();
    for (const [index, identity] of identities.entries()) {
      if (index % SLICE === 0) await slices.next();
      const seen = this.#ids.add(identity, digests[index] ?? 0);
      if (seen !== 'new') counts.repeats += 1;
      if (seen === 'changed') counts.changed += 1;
    }
  }

  /** @throws CommandError `PLATFORM_PROTOCOL_ERROR` if the pages that were published are more than any report could have grown to */
  refuseEndless(): void {
    const expected = this.#first?.pageCount ?? 0;
    if (this.pages < mostPagesOf(expected)) return;
    const reason = `the report has no end: of ${expected} pages at first, ${this.pages} were read`;
    throw new CommandError('PLATFORM_PROTOCOL_ERROR', { details: { reason } });
  }

  /** What a later run continues from. @param isDone whether every page was published */
  progress(isDone = false): Progress {
    return {
      ...this.#counts,
      requested: this.perPage,
      firstTotal: this.#first?.totalCount ?? 0,
      firstPages: this.#first?.pageCount ?? 0,
      firstPerPage: this.#first?.perPage ?? 0,
      lastTotal: this.#totalCount,
      readFrom: this.#first?.readAtMs ?? 0,
      readTo: this.#readToMs,
      changedWhileReading: this.#hasChanged,
      isDone,
    };
  }

  /** @param isWhole whether every page was asked for, so that there must be as many records as the platform counts */
  completed(report: ReportName, isWhole: boolean): ReportCompleted {
    const { pages, records, repeats, changed, faults } = this.#counts;
    const totalCount = this.#totalCount;
    const missing = isWhole ? totalCount - (records - repeats) : 0;
    const readFromMs = this.#first?.readAtMs ?? this.#readToMs;
    return {
      report,
      pages,
      records,
      totalCount,
      changedWhileReading: this.#hasChanged || repeats > 0 || missing !== 0,
      repeated: repeats,
      changed,
      missing,
      readFrom: new Date(readFromMs).toISOString(),
      readTo: new Date(this.#readToMs).toISOString(),
      spansIntervals: spansIntervals(readFromMs, this.#readToMs),
      faults,
    };
  }
}

type CompleteProgress = Progress & Record<(typeof COUNTS)[number] | (typeof FACTS)[number], number>;

function isComplete(progress: Progress | undefined): progress is CompleteProgress {
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
  return progress !== undefined && [...COUNTS, ...FACTS].every((name) => isCount(progress[name]));
}
