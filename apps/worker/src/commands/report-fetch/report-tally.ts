import {
  CommandError,
  extentsDiffer,
  mostPagesOf,
  type ReportCompleted,
  type ReportExtent,
  type ReportName,
  type ReportRecord,
} from '#contracts';
import type { CommandContext } from '#messaging';
import type { CollectionPage } from '#platform';

import { SeenIds } from './seen-ids.ts';

/** What was published of a report so far, and whether it can be whole. */
export class ReportTally {
  /** How many records a page were requested. */
  readonly perPage: number;
  readonly #seed: number;
  #pages = 0;
  #records = 0;
  /** Records whose id had come before. */
  #repeats = 0;
  #hasChanged = false;
  /** Of the first page that was read. */
  #first: ReportExtent | undefined;
  #last: ReportExtent | undefined;
  #ids: SeenIds | undefined;

  /**
   * @param progress of an earlier run; what is not its own is ignored
   * @param perPage how many records a page to request, if there was none
   * @param seed for the hash of ids
   */
  constructor(progress: CommandContext['progress'], perPage: number, seed: number) {
    this.#seed = seed;
    const { pages, records, repeats, requested, firstTotal, firstPages, firstPerPage } = numbersOf(progress);
    const isKnown = pages !== undefined && records !== undefined && firstTotal !== undefined;
    this.perPage = (isKnown ? requested : undefined) ?? perPage;
    if (!isKnown) return;
    this.#pages = pages;
    this.#records = records;
    this.#repeats = repeats ?? 0;
    this.#hasChanged = progress?.['changedWhileReading'] === true;
    if (firstPages === undefined || firstPerPage === undefined) return;
    this.#first = { totalCount: firstTotal, pageCount: firstPages, perPage: firstPerPage };
  }

  /** How many pages were published. */
  get pages(): number {
    return this.#pages;
  }

  /** Notes what a page says of the report, whether it is published or not. */
  compare({ totalCount, pageCount, perPage }: ReportExtent): void {
    this.#last = { totalCount, pageCount, perPage };
    this.#first ??= this.#last;
    this.#hasChanged ||= extentsDiffer(this.#last, this.#first);
  }

  /** Counts the records of a page that was published. */
  add({ records, totalCount }: CollectionPage): void {
    this.#pages += 1;
    this.#records += records.length;
    this.#ids ??= new SeenIds(totalCount, this.#seed);
    for (const record of records) if (this.#ids.add(identityOf(record))) this.#repeats += 1;
  }

  /** @throws CommandError `PLATFORM_PROTOCOL_ERROR` if the pages that were published are more than any report could have grown to */
  refuseEndless(): void {
    const expected = this.#first?.pageCount ?? 0;
    if (this.#pages < mostPagesOf(expected)) return;
    const reason = `the report has no end: of ${expected} pages at first, ${this.#pages} were read`;
    throw new CommandError('PLATFORM_PROTOCOL_ERROR', { details: { reason } });
  }

  /** What a later run goes on from. */
  progress(): NonNullable<CommandContext['progress']> {
    return {
      pages: this.#pages,
      records: this.#records,
      repeats: this.#repeats,
      requested: this.perPage,
      firstTotal: this.#first?.totalCount ?? 0,
      firstPages: this.#first?.pageCount ?? 0,
      firstPerPage: this.#first?.perPage ?? 0,
      changedWhileReading: this.#hasChanged,
    };
  }

  /** @param isWhole whether every page was asked for, so that there must be as many records as the platform counts */
  completed(report: ReportName, isWhole: boolean): ReportCompleted {
    const totalCount = this.#last?.totalCount ?? 0;
    const isIncomplete = isWhole && this.#records - this.#repeats !== totalCount;
    return {
      report,
      pages: this.#pages,
      records: this.#records,
      totalCount,
      changedWhileReading: this.#hasChanged || this.#repeats > 0 || isIncomplete,
    };
  }
}

/** The interface document does not say that an id alone tells the records of a player's currencies and kinds of money apart. */
function identityOf({ id, currency, moneyType }: ReportRecord): string {
  return `${id} ${String(currency)} ${String(moneyType)}`;
}

/** Those members that are counts. */
function numbersOf(progress: CommandContext['progress']): Readonly<Record<string, number | undefined>> {
  const counts = Object.entries(progress ?? {}).filter(
    (entry): entry is [string, number] => Number.isSafeInteger(entry[1]) && Number(entry[1]) >= 0,
  );
  return Object.fromEntries(counts);
}
