import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

import { written } from '../output.ts';
import type { ReportFacts } from './facts.ts';
import type { ReportRecord } from './totals.ts';

interface Column {
  readonly schema: SchemaElement;
  readonly cellOf: (record: ReportRecord) => unknown;
}

/** Rows that are held in memory at once. */
const GROUP_ROWS = 10_000;
const DAY_MS = 86_400_000;
/** The largest precision of a DECIMAL that every reader supports, and its size in bytes. */
const PRECISION = 38;
const DECIMAL_BYTES = 16;
const SUMMARY_KEY = 'poker-bridge.report';

/**
 * Writes Parquet: integers as INT64, dates as DATE, other values as text. After each amount comes its
 * DECIMAL, and after all columns the decimals of the record's currency; both are null if the decimals are
 * unknown.
 *
 * @param summary the report's summary as JSON, written as metadata of the file
 * @throws RangeError if a number does not fit its column
 */
export async function* toParquet(
  records: AsyncIterable<ReportRecord>,
  facts: ReportFacts,
  { summary }: { readonly summary: string },
): AsyncGenerator<Uint8Array> {
  const columns = columnsOf(facts);
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(({ schema }) => schema)],
    createdBy: 'poker-bridge',
    kvMetadata: [{ key: SUMMARY_KEY, value: summary }],
  });
  const rows: ReportRecord[] = [];
  const write = () => {
    const group = rows.splice(0);
    const columnData = columns.map(({ schema: { name }, cellOf }) => ({ name, data: group.map(cellOf) }));
    return writer.write({ columnData, rowGroupSize: GROUP_ROWS });
  };
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

function columnsOf(facts: ReportFacts): Column[] {
  const scale = Math.max(0, ...Object.values(facts.precisions).map(Number));
  if (scale > PRECISION) throw tooLarge('the number of decimals', `${PRECISION} digits`);
  const members = [...facts.columns].flatMap(([name, type]): Column[] => {
    const optional = { name, repetition_type: 'OPTIONAL' } as const;
    if (type === 'date') {
      const cellOf = (record: ReportRecord) =>
        mapped(record[name], (date) => Date.parse(String(date)) / DAY_MS);
      return [{ schema: { ...optional, type: 'INT32', converted_type: 'DATE' }, cellOf }];
    }
    if (type === 'text') {
      const cellOf = (record: ReportRecord) => mapped(record[name], written);
      return [{ schema: { ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' }, cellOf }];
    }
    const integer: Column = {
      schema: { ...optional, type: 'INT64' },
      cellOf: (record) => mapped(record[name], (value) => int64Of(value as number | bigint, name)),
    };
    return facts.amounts.includes(name) ? [integer, decimalColumn(name, scale, facts)] : [integer];
  });
  const decimals: Column = {
    schema: { name: 'decimals', type: 'INT32', repetition_type: 'OPTIONAL' },
    cellOf: ({ currency }) => facts.decimalsOf(currency) ?? null,
  };
  return [...members, decimals];
}

/** All currencies share a column, so that its scale is the largest number of decimals among them. */
function decimalColumn(amount: string, scale: number, facts: ReportFacts): Column {
  return {
    schema: {
      name: `${amount}Decimal`,
      repetition_type: 'OPTIONAL',
      type: 'FIXED_LEN_BYTE_ARRAY',
      type_length: DECIMAL_BYTES,
      converted_type: 'DECIMAL',
      precision: PRECISION,
      scale,
    },
    cellOf: (record) => {
      const decimals = facts.decimalsOf(record['currency']);
      if (decimals === undefined) return null;
      return mapped(record[amount], (value) => {
        const scaled = BigInt(value as number | bigint) * 10n ** BigInt(scale - decimals);
        if (String(scaled).replace('-', '').length <= PRECISION) return scaled;
        throw tooLarge(amount, `${PRECISION} digits`);
      });
    },
  };
}

function int64Of(value: number | bigint, name: string): bigint {
  const integer = BigInt(value);
  if (BigInt.asIntN(64, integer) === integer) return integer;
  throw tooLarge(name, '64 bits');
}

function tooLarge(name: string, size: string): RangeError {
  return new RangeError(`${name} of a record needs more than ${size}: use .csv, .ndjson or .json`);
}

/** Applies `write` to a value; null stays null. */
function mapped<T>(value: unknown, write: (value: unknown) => T): T | null {
  return value === undefined || value === null ? null : write(value);
}
