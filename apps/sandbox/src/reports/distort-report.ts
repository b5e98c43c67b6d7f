import type { ReportFault } from '../faults/fault.ts';
import type { PlannedFaults } from '../faults/fault-rules.ts';
import type { Page, Resource } from '../json-api/collection-document.ts';
import { FIGURE_NAMES } from './figures.ts';

const HUGE_FACTOR = 9_007_199_254_740_993n;
const AMOUNTS: ReadonlySet<string> = new Set([...FIGURE_NAMES, 'value']);

/** Which page of a report is served. */
export interface Pagination {
  /** From 1. */
  readonly number: number;
  readonly perPage: number;
}

/** The page that is served for the requested one. */
export function distortPagination(asked: Pagination, fault: PlannedFaults['fault']): Pagination {
  if (fault?.kind === 'other-page') return { ...asked, number: Math.max(1, asked.number - 1) };
  if (fault?.kind !== 'clamped-per-page') return asked;
  return { ...asked, perPage: Math.min(asked.perPage, fault.perPage) };
}

/** The position of the first record of a page. */
export function distortStart({ number, perPage }: Pagination, fault: PlannedFaults['fault']): number {
  if (fault?.kind === 'endless-report') return 0;
  const served = fault?.kind === 'repeated-page' ? Math.max(1, number - 1) : number;
  return (served - 1) * perPage;
}

/** The figures of the page in the envelope. */
export function distortPage(page: Page, fault: PlannedFaults['fault']): Page {
  if (fault?.kind === 'endless-report') return { ...page, totalCount: page.number * page.perPage + 1 };
  return fault?.kind === 'changing-total' ? { ...page, totalCount: grown(page, fault) } : page;
}

/** The records of the page. */
export function distortRecords(
  records: readonly Resource[],
  fault: PlannedFaults['fault'],
): readonly Resource[] {
  if (fault?.kind === 'huge-amounts') return records.map(withHugeAmounts);
  return fault?.kind === 'odd-amounts' ? records.map(withOddAmount) : records;
}

function grown(
  { totalCount, number }: Page,
  { by }: Extract<ReportFault, { kind: 'changing-total' }>,
): number {
  return Math.max(0, totalCount + by * (number - 1));
}

function withHugeAmounts(record: Resource): Resource {
  const attributes = Object.entries(record.attributes).map(([name, value]) => [
    name,
    AMOUNTS.has(name) ? BigInt(value as number | bigint) * HUGE_FACTOR : value,
  ]);
  return { ...record, attributes: Object.fromEntries(attributes) as Resource['attributes'] };
}

/** In turn a fraction, a text and nothing, as the first amount. */
function withOddAmount({ attributes, ...record }: Resource, index: number): Resource {
  const name = Object.keys(attributes).find((attribute) => AMOUNTS.has(attribute)) as string;
  const odd = [288.31, '28831', null][index % 3];
  return { ...record, attributes: { ...attributes, [name]: odd } };
}
