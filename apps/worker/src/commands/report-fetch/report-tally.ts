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

/** What was published of a report so far, and whether it can be whole. */
export class ReportTally {
  /** How many records a page were requested. */
  readonly perPage: number;
  readonly #seed: number;
  #pages = 0;
  #records = 0;
  /** Records whose id had come before. */
  #repeats = 0;
  /** Those of them whose figures differed. */
  #changed = 0;
  #faults = 0;
  #hasChanged = false;
  #readFromMs: number | undefined;
  #readToMs = 0;
  /** Of the first page that was read. */
  #first: ReportExtent | undefined;
  #last: ReportExtent | undefined;
  #ids: SeenIds | undefined;
  /** Whether an earlier run published every page, and only its end is left to be said. */
  readonly isDone: boolean;

  /**
   * @param progress of an earlier run; what is not its own is ignored
   * @param perPage how many records a page to request, if there was none
   * @param seed for the hash of ids
   */
  constructor(progress: CommandContext['progress'], perPage: number, seed: number) {
    this.#seed = seed;
    const {
      pages,
      records,
      repeats,
      changed,
      faults,
      requested,
      firstTotal,
      firstPages,
      firstPerPage,
      ...rest
    } = numbersOf(progress);
    // A worker of an earlier version did not note when it read: its report is asked for one page more.
    this.isDone = progress?.['isDone'] === true && rest['readTo'] !== undefined;
    const isKnown = pages !== undefined && records !== undefined && firstTotal !== undefined;
    this.perPage = (isKnown ? requested : undefined) ?? perPage;
    if (!isKnown) return;
    this.#pages = pages;
    this.#records = records;
    this.#repeats = repeats ?? 0;
    this.#changed = changed ?? 0;
    this.#readFromMs = rest['readFrom'];
    this.#readToMs = rest['readTo'] ?? 0;
    this.#faults = faults ?? 0;
    this.#hasChanged = progress?.['changedWhileReading'] === true;
    if (firstPages === undefined || firstPerPage === undefined) return;
    this.#first = { totalCount: firstTotal, pageCount: firstPages, perPage: firstPerPage };
    if (this.isDone) this.#last = { ...this.#first, totalCount: rest['lastTotal'] ?? firstTotal };
  }

  /** How many pages were published. */
  get pages(): number {
    return this.#pages;
  }

  /** Notes what a page says of the report, whether it is published or not. */
  compare({ totalCount, pageCount, perPage, readAtMs }: ReportExtent & Pick<ReadPage, 'readAtMs'>): void {
    this.#last = { totalCount, pageCount, perPage };
    this.#readFromMs ??= readAtMs;
    this.#readToMs = Math.max(this.#readToMs, readAtMs);
    this.#first ??= this.#last;
    this.#hasChanged ||= extentsDiffer(this.#last, this.#first);
  }

  /** Counts the records of a page that was published. */
  async add({ identities, digests, totalCount, faultCount }: CollectionPage): Promise<void> {
    this.#pages += 1;
    this.#records += identities.length;
    this.#faults += faultCount;
    this.#ids ??= new SeenIds(totalCount, this.#seed);
    const slices = new Slices();
    for (const [index, identity] of identities.entries()) {
      if (index % SLICE === 0) await slices.next();
      const seen = this.#ids.add(identity, digests[index] ?? 0);
      if (seen !== 'new') this.#repeats += 1;
      if (seen === 'changed') this.#changed += 1;
    }
  }

  /** @throws CommandError `PLATFORM_PROTOCOL_ERROR` if the pages that were published are more than any report could have grown to */
  refuseEndless(): void {
    const expected = this.#first?.pageCount ?? 0;
    if (this.#pages < mostPagesOf(expected)) return;
    const reason = `the report has no end: of ${expected} pages at first, ${this.#pages} were read`;
    throw new CommandError('PLATFORM_PROTOCOL_ERROR', { details: { reason } });
  }

  /** What a later run continues from. @param isDone whether every page was published */
  progress(isDone = false): NonNullable<CommandContext['progress']> {
    return {
      pages: this.#pages,
      records: this.#records,
      repeats: this.#repeats,
      changed: this.#changed,
      faults: this.#faults,
      requested: this.perPage,
      firstTotal: this.#first?.totalCount ?? 0,
      firstPages: this.#first?.pageCount ?? 0,
      firstPerPage: this.#first?.perPage ?? 0,
      changedWhileReading: this.#hasChanged,
      readFrom: this.#readFromMs ?? 0,
      readTo: this.#readToMs,
      ...(isDone && { isDone, lastTotal: this.#last?.totalCount ?? 0 }),
    };
  }

  /** @param isWhole whether every page was asked for, so that there must be as many records as the platform counts */
  completed(report: ReportName, isWhole: boolean): ReportCompleted {
    const totalCount = this.#last?.totalCount ?? 0;
    const missing = isWhole ? totalCount - (this.#records - this.#repeats) : 0;
    const readFromMs = this.#readFromMs ?? this.#readToMs;
    return {
      report,
      pages: this.#pages,
      records: this.#records,
      totalCount,
      changedWhileReading: this.#hasChanged || this.#repeats > 0 || missing !== 0,
      repeated: this.#repeats,
      changed: this.#changed,
      missing,
      readFrom: new Date(readFromMs).toISOString(),
      readTo: new Date(this.#readToMs).toISOString(),
      spansIntervals: spansIntervals(readFromMs, this.#readToMs),
      faults: this.#faults,
    };
  }
}

/** Those members that are counts. */
function numbersOf(progress: CommandContext['progress']): Readonly<Record<string, number | undefined>> {
  const counts = Object.entries(progress ?? {}).filter(
    (entry): entry is [string, number] => Number.isSafeInteger(entry[1]) && Number(entry[1]) >= 0,
  );
  return Object.fromEntries(counts);
}
