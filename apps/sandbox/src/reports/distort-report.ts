import type { OtherFault } from '../faults/faults.ts';
import type { Page, Resource } from '../interface/documents.ts';
import { FIGURE_NAMES } from './figures.ts';

const HUGE_FACTOR = 9_007_199_254_740_993n;
const AMOUNTS: ReadonlySet<string> = new Set([...FIGURE_NAMES, 'value']);
const ODD_MEMBERS = ['amount', 'user-id', 'currency'] as const;

/** Which page of a report is served. */
export interface Pagination {
  /** From 1. */
  readonly number: number;
  readonly perPage: number;
}

/** The page that is served for the requested one. */
export function distortPagination(asked: Pagination, fault: OtherFault | undefined): Pagination {
  if (fault?.kind === 'other-page') return { ...asked, number: Math.max(1, asked.number - 1) };
  if (fault?.kind !== 'clamped-per-page') return asked;
  return { ...asked, perPage: Math.min(asked.perPage, fault.perPage) };
}

/** The position of the first record of a page. */
export function distortStart({ number, perPage }: Pagination, fault: OtherFault | undefined): number {
  if (fault?.kind === 'endless-report') return 0;
  const served = fault?.kind === 'repeated-page' ? Math.max(1, number - 1) : number;
  return (served - 1) * perPage;
}

/** The figures of the page in the envelope. */
export function distortPage(page: Page, fault: OtherFault | undefined): Page {
  if (fault?.kind === 'endless-report') return { ...page, totalCount: page.number * page.perPage + 1 };
  return fault?.kind === 'changing-total' ? { ...page, totalCount: grown(page, fault.by) } : page;
}

/** The records of the page. @param nowMs for figures that change with time */
export function distortRecords(
  records: readonly Resource[],
  fault: OtherFault | undefined,
  nowMs: number,
): readonly Resource[] {
  switch (fault?.kind) {
    case 'huge-amounts':
      return records.map((record) => withAmounts(record, (amount) => amount * HUGE_FACTOR));
    case 'changing-figures': {
      const interval = BigInt(Math.floor(nowMs / fault.everyMs));
      return records.map((record) => withAmounts(record, (amount) => amount + (interval % 1_000n)));
    }
    case 'odd-amounts':
      return records.map((record, index) =>
        changed(record, amountOf(record), [288.31, '28831', null][index % 3]),
      );
    case 'odd-records':
      return records.map((record, index) => withOddMember(record, fault.what ?? ODD_MEMBERS[index % 3]));
    default:
      return records;
  }
}

function grown({ totalCount, number }: Page, by: number): number {
  return Math.max(0, totalCount + by * (number - 1));
}

function withAmounts(record: Resource, change: (amount: bigint) => bigint): Resource {
  const attributes = Object.entries(record.attributes).map(([name, value]) => [
    name,
    AMOUNTS.has(name) ? change(BigInt(value as number | bigint)) : value,
  ]);
  return { ...record, attributes: Object.fromEntries(attributes) as Resource['attributes'] };
}

/** Without the first amount, with an integer for the user, or without a currency. */
function withOddMember(record: Resource, what: (typeof ODD_MEMBERS)[number] | undefined): Resource {
  if (what === 'user-id') return changed(record, what, 4711);
  return what === 'currency' ? changed(record, what, '') : changed(record, amountOf(record), undefined);
}

/** The name of the first amount of a record. */
function amountOf({ attributes }: Resource): string {
  return Object.keys(attributes).find((name) => AMOUNTS.has(name)) as string;
}

function changed(record: Resource, name: string, value: unknown): Resource {
  return { ...record, attributes: { ...record.attributes, [name]: value } };
}
