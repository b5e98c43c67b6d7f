import type { OtherFault } from '../faults/faults.ts';
import { FIGURE_NAMES } from './figures.ts';
import type { Sequence } from './population.ts';
import type { Pagination } from './report-query.ts';
import type { Resource } from './reports.ts';

const HUGE_FACTOR = 9_007_199_254_740_993n;
const AMOUNTS: ReadonlySet<string> = new Set([...FIGURE_NAMES, 'value']);
const ODD_AMOUNTS = [288.31, '288.31', null];
const ODD_MEMBERS = ['amount', 'user-id', 'currency'] as const;

/**
 * Returns a page of a report for the envelope, distorted by a fault.
 * @param isReal returns the last page if the requested page is beyond it
 */
export function readPage(
  { perPage: askedSize, page: askedPage }: Pagination,
  fault: OtherFault | undefined,
  report: Sequence<Resource>,
  isReal: boolean,
) {
  const last = Math.max(1, Math.ceil(report.length / askedSize));
  const asked = { perPage: askedSize, page: isReal ? Math.min(askedPage, last) : askedPage };
  const perPage = fault?.kind === 'clamped-per-page' ? Math.min(asked.perPage, fault.perPage) : asked.perPage;
  const before = Math.max(1, asked.page - 1);
  const page = fault?.kind === 'other-page' ? before : asked.page;
  const served = fault?.kind === 'endless-report' ? 1 : fault?.kind === 'repeated-page' ? before : page;
  const start = (served - 1) * perPage;
  const length = Math.max(0, Math.min(perPage, report.length - start));
  let total = report.length;
  if (fault?.kind === 'endless-report') total = page * perPage + 1;
  if (fault?.kind === 'changing-total') total = Math.max(0, total + fault.by * (page - 1));
  const pageCount = Math.ceil(total / perPage);
  const read = (_: unknown, index: number): Resource => {
    const record = report.at(start + index) as Resource;
    if (!fault) return record;
    return { ...record, attributes: { ...record.attributes, ...changes(record, index, fault) } };
  };
  return {
    data: Array.from({ length }, read),
    meta: { 'total-count': total, 'page-count': pageCount, 'current-page': page, 'per-page': perPage },
  };
}

function changes({ attributes }: Resource, index: number, fault: OtherFault): Resource['attributes'] {
  const amounts = Object.entries(attributes).filter(([name]) => AMOUNTS.has(name));
  const first = amounts[0]?.[0] ?? '';
  const allTo = (change: (amount: bigint) => bigint) =>
    Object.fromEntries(amounts.map(([name, amount]) => [name, change(BigInt(amount as number | bigint))]));
  switch (fault.kind) {
    case 'huge-amounts':
      return allTo((amount) => amount * HUGE_FACTOR);
    case 'changing-figures': {
      const interval = BigInt(Math.floor(Date.now() / fault.everyMs));
      return allTo((amount) => amount + (interval % 1_000n));
    }
    case 'odd-amounts':
      return { [first]: ODD_AMOUNTS[index % 3] };
    case 'odd-records': {
      const what = fault.what ?? ODD_MEMBERS[index % 3];
      if (what === 'user-id') return { 'user-id': null };
      return what === 'currency' ? { currency: '' } : { [first]: undefined };
    }
    default:
      return {};
  }
}
