import type { OtherFault } from '../faults/faults.ts';
import type { Page, Resource } from '../interface/documents.ts';
import { FIGURE_NAMES } from './figures.ts';
import type { Sequence } from './population.ts';

const HUGE_FACTOR = 9_007_199_254_740_993n;
const AMOUNTS: ReadonlySet<string> = new Set([...FIGURE_NAMES, 'value']);
const ODD_AMOUNTS = [288.31, '28831', null];
const ODD_MEMBERS = ['amount', 'user-id', 'currency'] as const;

/** A page of a report, distorted by a fault. */
export function readPage(
  asked: Pick<Page, 'number' | 'perPage'>,
  fault: OtherFault | undefined,
  report: Sequence<Resource>,
): { readonly page: Page; readonly records: readonly Resource[] } {
  const perPage = fault?.kind === 'clamped-per-page' ? Math.min(asked.perPage, fault.perPage) : asked.perPage;
  const before = Math.max(1, asked.number - 1);
  const number = fault?.kind === 'other-page' ? before : asked.number;
  const served = fault?.kind === 'endless-report' ? 1 : fault?.kind === 'repeated-page' ? before : number;
  const start = (served - 1) * perPage;
  const length = Math.max(0, Math.min(perPage, report.length - start));
  let totalCount = report.length;
  if (fault?.kind === 'endless-report') totalCount = number * perPage + 1;
  if (fault?.kind === 'changing-total') totalCount = Math.max(0, totalCount + fault.by * (number - 1));
  return {
    page: { number, perPage, totalCount },
    records: Array.from({ length }, (_, index) =>
      distort(report.at(start + index) as Resource, index, fault),
    ),
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
