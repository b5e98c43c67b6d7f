import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

import { exactJson } from '#signing';

import { EXIT, ExitError } from '../exit.ts';
import { written } from '../output.ts';
import { decimalOf, type RecordFacts, type ReportRecord } from './records.ts';

type Records = AsyncIterable<ReportRecord>;

/** How the records of a report become a file. */
export type Format = (records: Records, facts: RecordFacts) => AsyncIterable<string | Uint8Array>;

/** What a spreadsheet would take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[-+]?\d+(\.\d+)?$/;
/** Rows that are held in memory at once. */
const GROUP_ROWS = 10_000;
const LARGEST = 2n ** 63n - 1n;
const NEEDS_QUOTES = /[",\r\n]/;

/** Writes records as JSON, one a line. */
export async function* toNdjson(records: Records): AsyncGenerator<string> {
  for await (const record of records) yield `${exactJson(record)}\n`;
}

/** Writes records as one JSON array. */
export async function* toJson(records: Records): AsyncGenerator<string> {
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
export async function* toCsv(
  records: Records,
  { members, amounts, precisions }: RecordFacts,
): AsyncGenerator<string> {
  const row = (plain: (member: string) => unknown, decimal: (member: string) => unknown): string =>
    csvLine(
      members.flatMap((member) =>
        amounts.includes(member) ? [plain(member), decimal(member)] : [plain(member)],
      ),
    );
  yield row(String, (member) => `${member}Decimal`);
  for await (const record of records) {
    const precision = precisions.get(String(record['currency'])) ?? null;
    yield row(
      (member) => record[member],
      (member) => (precision === null ? undefined : decimalOf(record[member], precision)),
    );
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
 * @throws ExitError if an integer needs more than 64 bits
 */
export async function* toParquet(
  records: Records,
  { members, integers, precisions }: RecordFacts,
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const schema = members.map((name) =>
    integers.has(name)
      ? ({ name, type: 'INT64', repetition_type: 'OPTIONAL' } as const)
      : ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const),
  );
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: 'root', num_children: schema.length + 1 },
      ...schema,
      { name: 'decimals', type: 'INT32', repetition_type: 'OPTIONAL' },
    ],
    createdBy: 'poker-bridge',
  });
  const cellOf = (name: string, value: unknown): bigint | string | null => {
    if (value === undefined || value === null) return null;
    return integers.has(name) ? integerOf(name, value as number | bigint) : written(value);
  };
  const drained = (): Uint8Array => {
    const group = bytes.getBytes().slice();
    bytes.index = 0;
    return group;
  };
  for await (const rows of groupsOf(records)) {
    const columns = members.map((name) => ({ name, data: rows.map((row) => cellOf(name, row[name])) }));
    const decimals = rows.map((row) => precisions.get(String(row['currency'])) ?? null);
    await writer.write({
      columnData: [...columns, { name: 'decimals', data: decimals }],
      rowGroupSize: GROUP_ROWS,
    });
    yield drained();
  }
  await writer.finish();
  yield drained();
}

async function* groupsOf(records: Records): AsyncGenerator<readonly ReportRecord[]> {
  let rows: ReportRecord[] = [];
  for await (const record of records) {
    rows.push(record);
    if (rows.length < GROUP_ROWS) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

function integerOf(name: string, value: number | bigint): bigint {
  const integer = BigInt(value);
  if (integer <= LARGEST && integer >= -LARGEST - 1n) return integer;
  const why = `${name} of a record needs more than 64 bits: take .csv, .ndjson or .json`;
  throw new ExitError(EXIT.failed, why);
}
