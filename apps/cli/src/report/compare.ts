import { open } from 'node:fs/promises';
import { extname } from 'node:path';

import { parse } from 'csv-parse';

import { parseExactJson } from '#signing';

import { usageError } from '../exit.ts';
import { csvText } from './formats.ts';
import type { ReportRecord } from './records.ts';

/** What changed of one record between two files; absent values are empty texts. */
interface ChangedRecord {
  readonly id: string;
  readonly currency: string;
  readonly changes: readonly { readonly member: string; readonly from: string; readonly to: string }[];
}

/** How a report differs from an earlier file of it. */
export interface Comparison {
  readonly added: number;
  readonly removed: number;
  readonly changed: readonly ChangedRecord[];
  /** What the amounts changed by in all; by currency and the name of the amount. */
  readonly differences: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
}

const KEY = ['id', 'date', 'moneyType', 'currency'];

/**
 * Compares the records of a report with those of a file that an earlier run wrote, which are held in memory.
 *
 * @param path `.csv`, `.ndjson` or `.json`
 * @param amounts the members that are compared
 * @throws ExitError if the file cannot be read
 */
export async function compare(
  path: string,
  records: AsyncIterable<ReportRecord>,
  amounts: readonly string[],
): Promise<Comparison> {
  const before = new Map<string, readonly string[]>();
  const cellsOf = (row: ReportRecord): string[] =>
    ['currency', ...amounts].map((member) => csvText(row[member]));
  const keyOf = (row: ReportRecord): string => JSON.stringify(KEY.map((member) => csvText(row[member])));
  for await (const row of rowsOf(path)) before.set(keyOf(row), cellsOf(row));
  const differences = new Map<string, Map<string, bigint>>();
  const changesOf = (currency: string, from: readonly string[], to: readonly string[]) => {
    const changes = amounts
      .map((member, index) => ({ member, from: from[index + 1] ?? '', to: to[index + 1] ?? '' }))
      .filter((change) => change.from !== change.to);
    for (const change of changes) {
      const difference = integerOf(change.to) - integerOf(change.from);
      if (difference === 0n) continue;
      const own = differences.get(currency) ?? new Map<string, bigint>();
      differences.set(currency, own.set(change.member, (own.get(change.member) ?? 0n) + difference));
    }
    return changes;
  };
  const changed: ChangedRecord[] = [];
  let added = 0;
  for await (const row of records) {
    const key = keyOf(row);
    const old = before.get(key);
    before.delete(key);
    const currency = csvText(row['currency']);
    const changes = changesOf(currency, old ?? [], cellsOf(row));
    if (!old) added += 1;
    else if (changes.length > 0) changed.push({ id: csvText(row['id']), currency, changes });
  }
  for (const old of before.values()) changesOf(old[0] ?? '', old, []);
  return { added, removed: before.size, changed, differences };
}

async function* rowsOf(path: string): AsyncGenerator<ReportRecord> {
  const extension = extname(path).toLowerCase();
  if (!['.csv', '.ndjson', '.json'].includes(extension)) {
    throw usageError(`--compare takes a .csv, .ndjson or .json file; ${path} ends otherwise`);
  }
  try {
    await using file = await open(path);
    if (extension === '.csv') {
      const content = file.createReadStream({ autoClose: false });
      yield* content.pipe(parse({ columns: true, bom: true })) as AsyncIterable<ReportRecord>;
      return;
    }
    for await (const line of file.readLines({ autoClose: false })) {
      // A .json file has one record a line as well, within brackets and with commas.
      const record = line.replace(/,$/, '');
      if (record.startsWith('{')) yield parseExactJson(record) as ReportRecord;
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw usageError(`${path} cannot be compared with (${code ?? message})`);
  }
}

/** A cell that is empty, or no integer, adds nothing. */
function integerOf(text: string): bigint {
  return /^-?\d+$/.test(text) ? BigInt(text) : 0n;
}
