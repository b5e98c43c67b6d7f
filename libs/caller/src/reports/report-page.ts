import type { ReportCompleted, ReportPage as ContractPage } from '@poker-bridge/contracts';

import type { BusReply } from '../replies/reply.ts';
import { readRecord } from './records.ts';

/** One page of a report, its records with amounts as bigint. */
export interface ReportPage<R> extends Readonly<Omit<ContractPage, 'records'>> {
  readonly records: readonly R[];
  /** What is odd about records that a lenient worker passes on as they are. */
  readonly faults?: readonly { readonly pointer: string; readonly message: string }[];
}

/** The end of a report. */
export type ReportSummary = Readonly<ReportCompleted>;

type PageReply = Extract<BusReply, { type: 'report.page' }>;

export function readPage<R>({ data }: PageReply): ReportPage<R> {
  return { ...data, records: data.records.map((record) => readRecord<R>(record)) };
}
