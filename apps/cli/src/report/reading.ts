import {
  extentsDiffer,
  mostPagesOf,
  type ReportCompleted,
  type ReportExtent,
  type ReportName,
  type ReportPage,
} from '#contracts';

/** A reading as JSON holds it. */
export interface KeptReading {
  readonly pages: number;
  readonly records: number;
  readonly hasChanged: boolean;
  readonly first?: ReportExtent | undefined;
  readonly last?: ReportExtent | undefined;
  readonly members: readonly string[];
  readonly others: readonly string[];
  readonly precisions: readonly (readonly [string, number | null])[];
}

/** What was read of a report so far, over one run or several. */
export class Reading {
  #pages = 0;
  #records = 0;
  #hasChanged = false;
  #first: ReportExtent | undefined;
  #last: ReportExtent | undefined;
  /** Every member that a record has, in the order in which they came. */
  readonly members: Set<string>;
  /** Members of which a value is no integer. */
  readonly others: Set<string>;
  /** Decimals of each currency; null if none are configured. */
  readonly precisions: Map<string, number | null>;

  /** @param kept by an earlier run */
  constructor(kept?: KeptReading) {
    this.members = new Set(kept?.members);
    this.others = new Set(kept?.others);
    this.precisions = new Map(kept?.precisions);
    if (!kept) return;
    this.#pages = kept.pages;
    this.#records = kept.records;
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

  /** What the platform counts. */
  get total(): number | undefined {
    return this.#last?.totalCount;
  }

  /** How many records a page has, by what the first one said. */
  get perPage(): number | undefined {
    return this.#first?.perPage;
  }

  /** Whether the last page was read, as far as it said itself. */
  get isAtEnd(): boolean {
    return this.#last !== undefined && this.#pages >= this.#last.pageCount;
  }

  /** Whether there are more pages than any report could have grown to. */
  get isEndless(): boolean {
    return this.#first !== undefined && this.#pages > mostPagesOf(this.#first.pageCount);
  }

  add({ totalCount, pageCount, perPage, records, precisions }: ReportPage): void {
    this.#last = { totalCount, pageCount, perPage };
    this.#first ??= this.#last;
    this.#hasChanged ||= extentsDiffer(this.#last, this.#first);
    for (const [currency, precision] of Object.entries(precisions)) this.precisions.set(currency, precision);
    for (const record of records) {
      for (const [member, value] of Object.entries(record)) {
        this.members.add(member);
        if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) this.others.add(member);
      }
    }
    this.#pages += 1;
    this.#records += records.length;
  }

  /** The end of a report that no worker has read as a whole. @param repeats records that came before */
  completed(report: ReportName, repeats: number): ReportCompleted {
    const totalCount = this.#last?.totalCount ?? 0;
    const changedWhileReading = this.#hasChanged || repeats > 0 || this.#records !== totalCount;
    return { report, pages: this.#pages, records: this.#records, totalCount, changedWhileReading };
  }

  toJSON(): KeptReading {
    return {
      pages: this.#pages,
      records: this.#records,
      hasChanged: this.#hasChanged,
      first: this.#first,
      last: this.#last,
      members: [...this.members],
      others: [...this.others],
      precisions: [...this.precisions],
    };
  }
}
