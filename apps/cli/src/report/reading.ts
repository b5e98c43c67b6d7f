import type { ReportPage } from '#caller';
import { extentsDiffer, mostPagesOf, type ReportExtent, spansIntervals } from '#contracts';

/** A reading as JSON holds it. */
export interface KeptReading {
  readonly pages: number;
  readonly records: number;
  /** What a lenient worker found odd about records, and passed on as it is. */
  readonly faults: number;
  /** Whether pages counted different totals. */
  readonly hasChanged: boolean;
  readonly first?: ReportExtent | undefined;
  readonly last?: ReportExtent | undefined;
  /** When the platform answered first and last: ISO 8601, UTC. */
  readonly readFrom?: string | undefined;
  readonly readTo?: string | undefined;
  /** Decimals of each currency; null if the worker knows none. */
  readonly precisions: readonly (readonly [string, number | null])[];
}

/** The pages of a report that were read so far, over one run or several. */
export class Reading {
  #kept: KeptReading;

  /** @param kept by an earlier run */
  constructor(kept: KeptReading = { pages: 0, records: 0, faults: 0, hasChanged: false, precisions: [] }) {
    this.#kept = kept;
  }

  get pages(): number {
    return this.#kept.pages;
  }

  get records(): number {
    return this.#kept.records;
  }

  get faults(): number {
    return this.#kept.faults;
  }

  get hasChanged(): boolean {
    return this.#kept.hasChanged;
  }

  get precisions(): ReadonlyMap<string, number | null> {
    return new Map(this.#kept.precisions);
  }

  /** The records that the platform counts; undefined before the first page. */
  get total(): number | undefined {
    return this.#kept.last?.totalCount;
  }

  /** How many records a page has, as the first one said. */
  get perPage(): number | undefined {
    return this.#kept.first?.perPage;
  }

  /** When the platform answered first and last, and whether it has aggregated its figures in between; absent without a page. */
  get readAt():
    { readonly readFrom: string; readonly readTo: string; readonly spansIntervals: boolean } | undefined {
    const { readFrom, readTo } = this.#kept;
    if (readFrom === undefined || readTo === undefined) return undefined;
    return { readFrom, readTo, spansIntervals: spansIntervals(Date.parse(readFrom), Date.parse(readTo)) };
  }

  /** Whether the last page was read, as far as it said itself. */
  get isAtEnd(): boolean {
    const { last, pages } = this.#kept;
    return last !== undefined && pages >= last.pageCount;
  }

  /** Whether there are more pages than any report could have grown to. */
  get isEndless(): boolean {
    const { first, pages } = this.#kept;
    return first !== undefined && pages > mostPagesOf(first.pageCount);
  }

  add({
    totalCount,
    pageCount,
    perPage,
    records,
    precisions,
    readAt,
    faults = [],
  }: ReportPage<object>): void {
    const before = this.#kept;
    const last = { totalCount, pageCount, perPage };
    const first = before.first ?? last;
    this.#kept = {
      pages: before.pages + 1,
      records: before.records + records.length,
      faults: before.faults + faults.length,
      hasChanged: before.hasChanged || extentsDiffer(last, first),
      first,
      last,
      readFrom: before.readFrom ?? readAt,
      readTo: readAt,
      precisions: [...new Map([...before.precisions, ...Object.entries(precisions)])],
    };
  }

  toJSON(): KeptReading {
    return this.#kept;
  }
}
