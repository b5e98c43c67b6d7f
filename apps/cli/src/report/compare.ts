import { open } from 'node:fs/promises';
import { extname } from 'node:path';

import { parse } from 'csv-parse';

import { parseExactJson } from '#signing';

import { usageError } from '../exit.ts';
import { csvText } from './formats.ts';
import { addTo, type ReportRecord, type Total } from './facts.ts';

export type Comparison = Awaited<ReturnType<typeof compare>>;

const KEY = ['id', 'date', 'moneyType', 'currency'];

/** The records of a file that an earlier run wrote, held in memory. @throws ExitError if it cannot be read */
export async function readEarlier(path: string, amounts: readonly string[]) {
  const records = new Map<string, ReportRecord>();
  for await (const row of rowsOf(path)) {
    const held = ['currency', ...amounts].map((member) => [member, row[member]]);
    records.set(keyOf(row), Object.fromEntries(held) as ReportRecord);
  }
  return records;
}

/** Compares the amounts of a report with earlier ones, which it uses up. */
export async function compare(
  before: Map<string, ReportRecord>,
  records: AsyncIterable<ReportRecord>,
  amounts: readonly string[],
) {
  /** What the amounts changed by in all, by currency. */
  const differences = new Map<string, Total>();
  const changesOf = (currency: string, old: ReportRecord, row: ReportRecord) =>
    amounts.flatMap((member) => {
      const [from, to] = [csvText(old[member]), csvText(row[member])];
      const difference = integerOf(to) - integerOf(from);
      if (difference !== 0n) {
        const total = differences.get(currency) ?? { currency };
        differences.set(currency, total);
        addTo(total, member, difference);
      }
      return from === to ? [] : [{ member, from, to }];
    });
  const changed: { id: string; currency: string; changes: ReturnType<typeof changesOf> }[] = [];
  let added = 0;
  for await (const row of records) {
    const old = before.get(keyOf(row));
    before.delete(keyOf(row));
    const currency = csvText(row['currency']);
    const changes = changesOf(currency, old ?? {}, row);
    if (!old) added += 1;
    else if (changes.length > 0) changed.push({ id: csvText(row['id']), currency, changes });
  }
  for (const old of before.values()) changesOf(csvText(old['currency']), old, {});
  return { added, removed: before.size, changed, differences: [...differences.values()] };
}

function keyOf(row: ReportRecord): string {
  return JSON.stringify(KEY.map((member) => csvText(row[member])));
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
    throw usageError(`--compare: ${path} cannot be read (${code ?? message})`);
  }
}

/** A cell that is empty, or no integer, adds nothing. */
function integerOf(text: string): bigint {
  return /^-?\d+$/.test(text) ? BigInt(text) : 0n;
}
