import { type BasicType, ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';

import { jsonLine, written } from '../output.ts';
import type { ReportFacts, ReportRecord } from './facts.ts';

type Records = AsyncIterable<ReportRecord>;
export type Format = keyof typeof FORMATS;

/** What a spreadsheet would take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
/** The same after what other settings of a spreadsheet take for the end of a cell or a row. */
const LATER_FORMULA = /(?<=[;\r\n][^\S\r\n]*)(?=[=+\-@])/g;
const NUMBER = /^[-+]?\d+(\.\d+)?$/;
const NEEDS_QUOTES = /[",;\r\n]/;
/** Rows that are held in memory at once. */
const GROUP_ROWS = 10_000;

/** How the records of a report become a file, by the ending of its name. */
export const FORMATS = { csv: toCsv, ndjson: toNdjson, json: toJson, parquet: toParquet };

async function* toNdjson(records: Records): AsyncGenerator<string> {
  for await (const record of records) yield `${jsonLine(record)}\n`;
}

async function* toJson(records: Records): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const record of records) {
    yield separator + jsonLine(record);
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

/** Writes CSV (RFC 4180). Beside each amount comes its decimal, empty if the decimals of the currency are not known. */
async function* toCsv(records: Records, facts: ReportFacts): AsyncGenerator<string> {
  const columns = [...facts.members].flatMap((member) => {
    const plain = { title: member, cellOf: (row: ReportRecord) => row[member] };
    if (!facts.amounts.includes(member)) return [plain];
    const decimalOf = (row: ReportRecord) => facts.decimalOf(row[member], row['currency']);
    return [plain, { title: `${member}Decimal`, cellOf: decimalOf }];
  });
  yield csvLine(columns.map(({ title }) => title));
  for await (const record of records) yield csvLine(columns.map(({ cellOf }) => cellOf(record)));
}

/** What a spreadsheet would run as a formula gets an apostrophe: names are chosen by players. */
export function csvLine(values: readonly unknown[]): string {
  const cells = values.map((value) => {
    const text = written(value ?? '');
    const isFormula = typeof value === 'string' && FORMULA.test(text) && !NUMBER.test(text);
    const later = typeof value === 'string' ? text.replace(LATER_FORMULA, "'") : text;
    const safe = isFormula ? `'${later}` : later;
    return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${cells.join(',')}\r\n`;
}

/**
 * Writes Parquet: integers as INT64, everything else as text, and the decimals of a record's currency as INT32, null if they
 * are not known. @throws RangeError if an integer needs more than 64 bits
 */
async function* toParquet(records: Records, facts: ReportFacts): AsyncGenerator<Uint8Array> {
  const columnsOf = (rows: readonly ReportRecord[]) => [
    ...[...facts.members].map((name) => {
      const type: BasicType = facts.texts.has(name) ? 'STRING' : 'INT64';
      return { name, type, data: rows.map((row) => parquetCell(name, type, row[name])) };
    }),
    {
      name: 'decimals',
      type: 'INT32' as const,
      data: rows.map(({ currency }) => facts.decimalsOf(currency) ?? null),
    },
  ];
  const bytes = new ByteWriter();
  const schema = schemaFromColumnData({ columnData: columnsOf([]) });
  const writer = new ParquetWriter({ writer: bytes, schema, createdBy: 'poker-bridge' });
  const write = () => writer.write({ columnData: columnsOf(rows.splice(0)), rowGroupSize: GROUP_ROWS });
  const rows: ReportRecord[] = [];
  for await (const record of records) {
    if (rows.push(record) < GROUP_ROWS) continue;
    await write();
    yield bytes.getBytes().slice();
    bytes.index = 0;
  }
  if (rows.length > 0) await write();
  await writer.finish();
  yield bytes.getBytes();
}

function parquetCell(name: string, type: BasicType, value: unknown): bigint | string | null {
  if (value === undefined || value === null) return null;
  if (type !== 'INT64') return written(value);
  const integer = BigInt(value as number | bigint);
  if (BigInt.asIntN(64, integer) === integer) return integer;
  throw new RangeError(`${name} of a record needs more than 64 bits: take .csv, .ndjson or .json`);
}
