import type { ReportPage } from '#caller';
import { extentsDiffer, mostPagesOf, type ReportExtent } from '#contracts';

/** A reading as JSON holds it. */
export interface KeptReading {
  readonly pages: number;
  readonly records: number;
  readonly faults: number;
  readonly hasChanged: boolean;
  readonly first?: ReportExtent | undefined;
  readonly last?: ReportExtent | undefined;
  readonly precisions: readonly (readonly [string, number | null])[];
}

/** The pages of a report that were read so far, over one run or several. */
export class Reading {
  #pages = 0;
  #records = 0;
  #faults = 0;
  #hasChanged = false;
  #first: ReportExtent | undefined;
  #last: ReportExtent | undefined;
  /** Decimals of each currency; null if the worker knows none. */
  readonly precisions: Map<string, number | null>;

  /** @param kept by an earlier run */
  constructor(kept?: KeptReading) {
    this.precisions = new Map(kept?.precisions);
    if (!kept) return;
    this.#pages = kept.pages;
    this.#records = kept.records;
    this.#faults = kept.faults;
    this.#hasChanged = kept.hasChanged;
    this.#first = kept.first;
    this.#last = kept.last;
  }

  get pages(): number {
    return this.#pages;
  }

  get records(): number {
    return this.#records;
  }

  /** What a lenient worker found odd about records, and passed on as it is. */
  get faults(): number {
    return this.#faults;
  }

  /** The records that the platform counts; undefined before the first page. */
  get total(): number | undefined {
    return this.#last?.totalCount;
  }

  /** How many records a page has, as the first one said. */
  get perPage(): number | undefined {
    return this.#first?.perPage;
  }

  /** Whether pages counted different totals. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** Whether the last page was read, as far as it said itself. */
  get isAtEnd(): boolean {
    return this.#last !== undefined && this.#pages >= this.#last.pageCount;
  }

  /** Whether there are more pages than any report could have grown to. */
  get isEndless(): boolean {
    return this.#first !== undefined && this.#pages > mostPagesOf(this.#first.pageCount);
  }

  add({ totalCount, pageCount, perPage, records, precisions, faults = [] }: ReportPage<object>): void {
    this.#last = { totalCount, pageCount, perPage };
    this.#first ??= this.#last;
    this.#hasChanged ||= extentsDiffer(this.#last, this.#first);
    for (const [currency, precision] of Object.entries(precisions)) this.precisions.set(currency, precision);
    this.#pages += 1;
    this.#records += records.length;
    this.#faults += faults.length;
  }

  toJSON(): KeptReading {
    return {
      pages: this.#pages,
      records: this.#records,
      faults: this.#faults,
      hasChanged: this.#hasChanged,
      first: this.#first,
      last: this.#last,
      precisions: [...this.precisions],
    };
  }
}
