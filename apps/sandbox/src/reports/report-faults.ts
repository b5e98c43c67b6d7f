import type { OtherFault } from '../faults/faults.ts';
import type { Page, Resource } from '../interface/documents.ts';
import { FIGURE_NAMES } from './figures.ts';

const HUGE_FACTOR = 9_007_199_254_740_993n;
const AMOUNTS: ReadonlySet<string> = new Set([...FIGURE_NAMES, 'value']);
const ODD_AMOUNTS = [288.31, '28831', null];
const ODD_MEMBERS = ['amount', 'user-id', 'currency'] as const;

/** Records at positions from `start`, and the total number of records. */
export interface Extract {
  readonly totalCount: number;
  readonly records: readonly Resource[];
}

/** A page of a report, distorted by a fault. */
export function readPage(
  asked: Pick<Page, 'number' | 'perPage'>,
  fault: OtherFault | undefined,
  extract: (start: number, count: number) => Extract,
): { readonly page: Page; readonly records: readonly Resource[] } {
  const perPage = fault?.kind === 'clamped-per-page' ? Math.min(asked.perPage, fault.perPage) : asked.perPage;
  const before = Math.max(1, asked.number - 1);
  const number = fault?.kind === 'other-page' ? before : asked.number;
  const served = fault?.kind === 'endless-report' ? 1 : fault?.kind === 'repeated-page' ? before : number;
  const { totalCount, records } = extract((served - 1) * perPage, perPage);
  let total = totalCount;
  if (fault?.kind === 'endless-report') total = number * perPage + 1;
  if (fault?.kind === 'changing-total') total = Math.max(0, totalCount + fault.by * (number - 1));
  return {
    page: { number, perPage, totalCount: total },
    records: records.map((record, index) => distort(record, index, fault)),
  };
}

function distort(record: Resource, index: number, fault: OtherFault | undefined): Resource {
  switch (fault?.kind) {
    case 'huge-amounts':
      return withAmounts(record, (amount) => amount * HUGE_FACTOR);
    case 'changing-figures': {
      const interval = BigInt(Math.floor(Date.now() / fault.everyMs));
      return withAmounts(record, (amount) => amount + (interval % 1_000n));
    }
    case 'odd-amounts':
      return changed(record, amountOf(record), ODD_AMOUNTS[index % 3]);
    case 'odd-records': {
      const what = fault.what ?? ODD_MEMBERS[index % 3];
      if (what === 'user-id') return changed(record, what, 4711);
      return what === 'currency' ? changed(record, what, '') : changed(record, amountOf(record), undefined);
    }
    default:
      return record;
  }
}

function withAmounts(record: Resource, change: (amount: bigint) => bigint): Resource {
  const attributes = Object.entries(record.attributes).map(([name, value]) => [
    name,
    AMOUNTS.has(name) ? change(BigInt(value as number | bigint)) : value,
  ]);
  return { ...record, attributes: Object.fromEntries(attributes) as Resource['attributes'] };
}

/** The name of the first amount of a record. */
function amountOf({ attributes }: Resource): string {
  return Object.keys(attributes).find((name) => AMOUNTS.has(name)) as string;
}

function changed(record: Resource, name: string, value: unknown): Resource {
  return { ...record, attributes: { ...record.attributes, [name]: value } };
}
