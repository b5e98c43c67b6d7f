import type { ReportCompleted } from '#contracts';

import { printable } from '../output/printable.ts';
import type { Period } from './period.ts';
import { completeAtMs } from './period-end.ts';
import type { Reading } from './reading.ts';
import type { ReportOptions } from './report-options.ts';

const warn = (text: string): void => void process.stderr.write(`warning: ${text}\n`);

/** What was fetched, and what about it is not as one would wish. */
export function tell(
  completed: ReportCompleted,
  { precisions }: Reading,
  { out, json }: ReportOptions,
): void {
  const { pages, records, totalCount, changedWhileReading } = completed;
  if (json) process.stdout.write(`${JSON.stringify({ file: out, ...completed })}\n`);
  else process.stdout.write(`${records} records of ${pages} pages in ${out}\n`);
  if (changedWhileReading) warn('the report changed while it was read; fetch it again');
  else if (records !== totalCount) warn(`the platform counts ${totalCount} records`);
  const unknown = [...precisions].flatMap(([currency, precision]) => (precision === null ? [currency] : []));
  if (unknown.length > 0) {
    const names = printable(unknown.toSorted().join(', '));
    warn(`no decimals are known of ${names}: the worker's CURRENCY_PRECISIONS does not name them`);
  }
}

/** Also of a period that is not over. */
export function warnOfEnd({ dateTo }: Period, timeZone: string | undefined): void {
  const completeMs = completeAtMs(dateTo, timeZone, Date.now());
  if (completeMs === undefined) return;
  const zone = timeZone ?? 'if the platform counts in UTC';
  const when = new Date(completeMs).toISOString().replace('.000', '');
  warn(
    `the platform aggregates every ten minutes, and ${dateTo} (${zone}) is not that long ago: figures may be missing; fetch it again after ${when}`,
  );
}
