import {
  type ReportCompleted,
  type ReportPage as ContractPage,
  spansIntervals,
} from '@poker-bridge/contracts';

import type { BusReply } from '../replies/reply.ts';
import { readRecord } from './records.ts';

/**
 * One page of a report, its records with amounts as bigint. `JSON.stringify` writes these as numbers, and those beyond 2^53
 * as text.
 */
export interface ReportPage<R> extends Readonly<Omit<ContractPage, 'records'>> {
  readonly records: readonly R[];
  /** What is odd about records that a lenient worker passes on as they are. */
  readonly faults?: readonly { readonly pointer: string; readonly message: string }[];
}

/** The end of a report. */
export type ReportSummary = Readonly<ReportCompleted>;

type PageReply = Extract<BusReply, { type: 'report.page' }>;
type SummaryReply = Extract<BusReply, { type: 'report.completed' }>;

export function readPage<R>({ data }: PageReply): ReportPage<R> {
  const page = { ...data, records: data.records.map((record) => readRecord<R>(record)) };
  // Not to be seen by those who compare or list a page's members.
  Object.defineProperty(page, 'toJSON', { value: () => withoutBigints(page) });
  return page;
}

/** The end of a report; pages of an earlier run, which are not given twice, were read before what the last run says. */
export function readSummary(
  { data }: SummaryReply,
  { hasChanged, readFrom = data.readFrom }: { hasChanged: boolean; readFrom: string | undefined },
): ReportSummary {
  return {
    ...data,
    changedWhileReading: data.changedWhileReading || hasChanged,
    readFrom,
    spansIntervals: spansIntervals(Date.parse(readFrom), Date.parse(data.readTo)),
  };
}

/** JSON has no bigint: one beyond 2^53 becomes text, digit for digit, any other a number. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(withoutBigints);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutBigints(member)]));
}
