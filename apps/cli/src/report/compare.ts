import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';

import { parse } from 'csv-parse';

import { parseExactJson } from '#signing';

import { usageError } from '../exit.ts';
import { csvText } from './convert.ts';

type Row = Readonly<Record<string, unknown>>;

/** What changed of one record between two files. */
export interface ChangedRecord {
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
 * Compares the records of a report with those of a file that an earlier run wrote. Both are held in memory by id.
 *
 * @param path `.csv`, `.ndjson` or `.json`
 * @param lines the new records, each as JSON
 * @param amounts the members that are compared
 * @throws ExitError if the file cannot be read
 */
export async function compare(
  path: string,
  lines: AsyncIterable<string>,
  amounts: readonly string[],
): Promise<Comparison> {
  const before = new Map<string, Row>();
  for await (const row of rowsOf(path)) before.set(keyOf(row), textsOf(row, amounts));
  const differences = new Map<string, Map<string, bigint>>();
  const changed: ChangedRecord[] = [];
  let added = 0;
  for await (const line of lines) {
    const row = parseExactJson(line) as Row;
    const key = keyOf(row);
    const old = before.get(key);
    before.delete(key);
    if (!old) added += 1;
    const now = textsOf(row, amounts);
    const currency = csvText(row['currency']);
    const changes = amounts
      .map((member) => ({ member, from: csvText(old?.[member]), to: csvText(now[member]) }))
      .filter(({ from, to }) => from !== to);
    for (const { member, from, to } of changes) count(differences, currency, member, to, from);
    if (old && changes.length > 0) changed.push({ id: csvText(row['id']), currency, changes });
  }
  for (const old of before.values()) {
    for (const member of amounts)
      count(differences, csvText(old['currency']), member, '', csvText(old[member]));
  }
  return { added, removed: before.size, changed, differences };
}

async function* rowsOf(path: string): AsyncGenerator<Row> {
  const extension = extname(path).toLowerCase();
  if (!['.csv', '.ndjson', '.json'].includes(extension)) {
    throw usageError(`--compare takes a .csv, .ndjson or .json file; ${path} ends otherwise`);
  }
  try {
    await using file = await open(path);
    const content = file.createReadStream({ autoClose: false });
    if (extension === '.csv') {
      yield* content.pipe(parse({ columns: true, bom: true })) as AsyncIterable<Row>;
      return;
    }
    for await (const line of createInterface({ input: content, crlfDelay: Number.POSITIVE_INFINITY })) {
      // A .json file has one record a line as well, within brackets and with commas.
      const record = line.replace(/,$/, '');
      if (record.startsWith('{')) yield parseExactJson(record) as Row;
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw usageError(`${path} cannot be compared with (${code ?? message})`);
  }
}

function keyOf(row: Row): string {
  return JSON.stringify(KEY.map((member) => csvText(row[member])));
}

/** The currency and the amounts of a record alone, as cells of CSV. */
function textsOf(row: Row, amounts: readonly string[]): Row {
  return Object.fromEntries(['currency', ...amounts].map((member) => [member, csvText(row[member])]));
}

function count(
  differences: Map<string, Map<string, bigint>>,
  currency: string,
  member: string,
  to: string,
  from: string,
): void {
  const difference = integerOf(to) - integerOf(from);
  if (difference === 0n) return;
  const own = differences.get(currency) ?? new Map<string, bigint>();
  differences.set(currency, own.set(member, (own.get(member) ?? 0n) + difference));
}

/** A cell that is empty, or no integer, adds nothing. */
function integerOf(text: string): bigint {
  return /^-?\d+$/.test(text) ? BigInt(text) : 0n;
}
