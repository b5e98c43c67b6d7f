import { existsSync } from 'node:fs';
import { extname } from 'node:path';

import { parquetReadObjects } from 'hyparquet';

import { REPORT_AMOUNTS } from '#contracts';

import { usageError } from '../exit.ts';
import { isObject, parseJson, readBytes, readSource } from '../input.ts';
import type { ReportSummary } from './summary.ts';
import type { ReportRecord } from './totals.ts';
import { summaryPathOf } from './unfinished-report.ts';

export interface ReportFile {
  readonly path: string;
  readonly records: readonly ReportRecord[];
  /** The summary written by `report`; empty if it is missing. */
  readonly summary: Partial<ReportSummary>;
}

export const ALL_AMOUNTS: readonly string[] = Object.values(REPORT_AMOUNTS).flat();
const DECIMALS = new Set(ALL_AMOUNTS.map((amount) => `${amount}Decimal`));
const READERS: Readonly<Record<string, (path: string) => Promise<unknown[]>>> = {
  '.csv': async (path) => parseCsv(await readSource(path)),
  '.ndjson': async (path) =>
    (await readSource(path)).split('\n').flatMap((line) => (line === '' ? [] : parseJson(line, path))),
  '.json': async (path) => [parseJson(await readSource(path), path)].flat(),
  '.parquet': readParquet,
};

/** Reads a file that `report` wrote, and its summary. @throws ExitError if one of them cannot be read */
export async function readReportFile(path: string): Promise<ReportFile> {
  const readRecords = READERS[extname(path).toLowerCase()];
  if (!readRecords) throw usageError(`${path} does not end in ${Object.keys(READERS).join(', ')}`);
  const records = await readRecords(path);
  if (!records.every((record) => isObject(record) && 'id' in record)) {
    throw usageError(`${path} is not a report: a record has no id`);
  }
  const summaryPath = summaryPathOf(path);
  const summary = existsSync(summaryPath) ? parseJson(await readSource(summaryPath), summaryPath) : {};
  return { path, records: records as ReportRecord[], summary: isObject(summary) ? summary : {} };
}

/** Reads Parquet. Decimals are skipped, because the amounts contain the same figures. */
async function readParquet(path: string): Promise<ReportRecord[]> {
  const { buffer: file } = new Uint8Array(await readBytes(path));
  const rows = await parquetReadObjects({ file }).catch(() => {
    throw usageError(`${path} is not Parquet`);
  });
  return rows.map((row) => {
    const members = Object.entries(row).flatMap(([name, value]) => {
      if (DECIMALS.has(name) || name === 'decimals' || value === null) return [];
      return [[name, value instanceof Date ? value.toISOString().slice(0, 10) : value] as const];
    });
    return Object.fromEntries(members);
  });
}

/** Parses CSV with a line of titles. Decimals are skipped, because the amounts contain the same figures. */
function parseCsv(text: string): ReportRecord[] {
  const [line = ''] = text.split('\r\n', 1);
  const [titles = [], ...rows] = csvRows(text, line.includes(';') ? ';' : ',');
  return rows.map((cells) => {
    const members = titles.flatMap((title, index) => {
      const cell = cells[index] ?? '';
      return DECIMALS.has(title) || cell === '' ? [] : [[title, valueOf(title, cell)] as const];
    });
    return Object.fromEntries(members);
  });
}

function valueOf(title: string, cell: string): unknown {
  if (ALL_AMOUNTS.includes(title) && /^-?\d+$/.test(cell)) return BigInt(cell);
  // Removes the apostrophe that prevents a formula.
  return cell.replace(/^'(?=[=+\-@\t\r])/, '');
}

function csvRows(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`, 'gy');
  for (let match = cell.exec(text); match; match = cell.exec(text)) {
    const [whole, quoted, plain = '', end] = match;
    if (whole === '' && cells.length === 0) break;
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === separator) continue;
    rows.push(cells);
    cells = [];
    if (end === '') break;
  }
  return rows;
}
