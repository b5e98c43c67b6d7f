import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

import { exactJson } from '#signing';

import { written } from '../output.ts';
import { decimalOf, type RecordFacts, type ReportRecord } from './records.ts';

type Records = AsyncIterable<ReportRecord>;
export type Format = keyof typeof FORMATS;

/** What a spreadsheet would take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[-+]?\d+(\.\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]/;
/** Rows that are held in memory at once. */
const GROUP_ROWS = 10_000;
const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
const LARGEST = 2n ** 63n - 1n;

/** How the records of a report become a file, by the ending of its name. */
export const FORMATS = { csv: toCsv, ndjson: toNdjson, json: toJson, parquet: toParquet };

/** Writes records as JSON, one a line. */
async function* toNdjson(records: Records): AsyncGenerator<string> {
  for await (const record of records) yield `${exactJson(record)}\n`;
}

/** Writes records as one JSON array. */
async function* toJson(records: Records): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const record of records) {
    yield separator + exactJson(record);
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

/**
 * Writes records as CSV (RFC 4180): a line of titles, the same for every report of its name, then one for each record.
 * Beside each amount comes its decimal, empty if the decimals of the currency are not known.
 */
async function* toCsv(records: Records, facts: RecordFacts): AsyncGenerator<string> {
  const { members, amounts, precisions } = facts;
  const row = (cellsOf: (member: string) => readonly [plain: unknown, decimal: unknown]): string =>
    csvLine(members.flatMap((member) => cellsOf(member).slice(0, amounts.includes(member) ? 2 : 1)));
  yield row((member) => [member, `${member}Decimal`]);
  for await (const record of records) {
    const precision = precisions.get(String(record['currency'])) ?? null;
    yield row((member) => [record[member], decimalOf(record[member], precision)]);
  }
}

/** A line of CSV, its end included. */
export function csvLine(values: readonly unknown[]): string {
  const cells = values.map((value) => {
    const text = csvText(value);
    return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${cells.join(',')}\r\n`;
}

/**
 * A value as the text of a cell. A text that a spreadsheet would run as a formula is preceded by an apostrophe: names are
 * chosen by players. Numbers stay as they are.
 */
export function csvText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') return exactJson(value);
  return FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
}

/**
 * Writes records as Parquet: integers as INT64, everything else as text, and the decimals of a record's currency as INT32,
 * null if they are not known. An amount is its integer divided by ten to the power of the decimals.
 *
 * @throws RangeError if an integer needs more than 64 bits
 */
async function* toParquet(records: Records, facts: RecordFacts): AsyncGenerator<Uint8Array> {
  const { members, integers, precisions } = facts;
  const bytes = new ByteWriter();
  const columns = members.map((name) => ({
    name,
    ...(integers.has(name) ? { type: 'INT64' as const } : TEXT),
    repetition_type: 'OPTIONAL' as const,
  }));
  const decimals = { name: 'decimals', type: 'INT32', repetition_type: 'OPTIONAL' } as const;
  const schema = [{ name: 'root', num_children: columns.length + 1 }, ...columns, decimals];
  const writer = new ParquetWriter({ writer: bytes, schema, createdBy: 'poker-bridge' });
  const cellOf = (name: string, value: unknown): bigint | string | null => {
    if (value === undefined || value === null) return null;
    return integers.has(name) ? integerOf(name, value as number | bigint) : written(value);
  };
  const drained = (): Uint8Array => {
    const group = bytes.getBytes().slice();
    bytes.index = 0;
    return group;
  };
  let rows: ReportRecord[] = [];
  const write = async (): Promise<Uint8Array> => {
    const columnData: { name: string; data: unknown[] }[] = members.map((name) => ({
      name,
      data: rows.map((row) => cellOf(name, row[name])),
    }));
    const data = rows.map((row) => precisions.get(String(row['currency'])) ?? null);
    await writer.write({
      columnData: [...columnData, { name: decimals.name, data }],
      rowGroupSize: GROUP_ROWS,
    });
    rows = [];
    return drained();
  };
  for await (const record of records) if (rows.push(record) === GROUP_ROWS) yield await write();
  if (rows.length > 0) yield await write();
  await writer.finish();
  yield drained();
}

/** @throws RangeError */
function integerOf(name: string, value: number | bigint): bigint {
  const integer = BigInt(value);
  if (integer <= LARGEST && integer >= -LARGEST - 1n) return integer;
  throw new RangeError(`${name} of a record needs more than 64 bits: take .csv, .ndjson or .json`);
}
