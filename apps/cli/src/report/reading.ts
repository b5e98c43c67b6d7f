import type { ReportPage } from '#caller';
import { extentsDiffer, type ReportExtent } from '#contracts';

import type { Precisions } from './records.ts';

/** The pages of a report that were read so far, over one run or several. */
export interface Reading {
  readonly pages: number;
  readonly records: number;
  /** How many values a lenient worker found odd, and passed on as they were. */
  readonly faults: number;
  /** Whether pages counted different totals. */
  readonly hasChanged: boolean;
  readonly first?: ReportExtent;
  readonly last?: ReportExtent;
  /** When the platform answered first and last: ISO 8601, UTC. */
  readonly readFrom?: string;
  readonly readTo?: string;
  readonly precisions: Precisions;
}

export const NOTHING_READ: Reading = {
  pages: 0,
  records: 0,
  faults: 0,
  hasChanged: false,
  precisions: new Map(),
};

/** A reading with one more page. */
export function withPage(before: Reading, page: ReportPage<object>): Reading {
  const { totalCount, pageCount, perPage, records, precisions, readAt, faults = [] } = page;
  const last = { totalCount, pageCount, perPage };
  const { first = last, readFrom = readAt } = before;
  return {
    pages: before.pages + 1,
    records: before.records + records.length,
    faults: before.faults + faults.length,
    hasChanged: before.hasChanged || extentsDiffer(last, first),
    first,
    last,
    readFrom,
    readTo: readAt,
    precisions: new Map([...before.precisions, ...Object.entries(precisions)]),
  };
}

/** Whether the last page was read, by what it said itself. */
export function isAtEnd({ last, pages }: Reading): boolean {
  return last !== undefined && pages >= last.pageCount;
}
