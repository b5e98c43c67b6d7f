import type { ReportName } from '#contracts';

import { ExitError } from '../exit.ts';
import { type TableFacts, toCsv, toJson } from './convert.ts';
import type { Reading } from './reading.ts';
import type { ReportFormat } from './report-format.ts';
import type { UnfinishedReport } from './unfinished-report.ts';
import { WrittenFile } from './written-file.ts';

/**
 * Gives a report that was read its final form and name.
 *
 * @throws ExitError if it cannot have that form, or that name is taken by now
 */
export async function writeReport(
  name: ReportName,
  format: ReportFormat,
  unfinished: UnfinishedReport,
): Promise<void> {
  const { records, reading } = unfinished;
  if (format === 'ndjson') return unfinished.finish(records);
  await using converted = await WrittenFile.create(`${records.path}.${format}`, true);
  try {
    if (format === 'json') await toJson(records, converted);
    else await toTable(format, records, converted, await factsOf(name, reading));
  } catch (error) {
    await converted.remove();
    // It would fail again, however often the report is resumed.
    if (error instanceof ExitError && !converted.fault) await unfinished.discard();
    throw error;
  }
  await unfinished.finish(converted);
}

/** Loaded only for a table: it takes longer than everything else here. */
async function factsOf(name: ReportName, { members, others, precisions }: Reading): Promise<TableFacts> {
  const { REPORT_AMOUNTS } = await import('#platform');
  const integers = new Set([...members].filter((member) => !others.has(member)));
  return { members, precisions, amounts: REPORT_AMOUNTS[name], integers };
}

async function toTable(
  format: 'csv' | 'parquet',
  records: WrittenFile,
  table: WrittenFile,
  facts: TableFacts,
): Promise<void> {
  if (format === 'csv') return toCsv(records, table, facts);
  const { toParquet } = await import('./to-parquet.ts');
  return toParquet(records, table, facts);
}
