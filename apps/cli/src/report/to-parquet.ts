import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

import { exactJson, parseExactJson } from '#signing';

import { EXIT, ExitError } from '../exit.ts';
import type { TableFacts } from './convert.ts';
import type { WrittenFile } from './written-file.ts';

type ReportRecord = Readonly<Record<string, unknown>>;
type Column = { readonly name: string; readonly kind: 'integer' | 'text' };

/** Rows that are held in memory at once. */
const GROUP_ROWS = 10_000;
const DECIMALS = 'decimals';
const LARGEST = 2n ** 63n - 1n;

/**
 * Writes records as Parquet: integers as INT64, everything else as text, and the decimals of a record's currency as INT32,
 * null if they are not known. An amount is its integer divided by ten to the power of the decimals.
 *
 * @throws ExitError if an integer needs more than 64 bits
 */
export async function toParquet(records: WrittenFile, out: WrittenFile, facts: TableFacts): Promise<void> {
  const columns = columnsOf(facts);
  const bytes = new ByteWriter();
  const drain = async (): Promise<void> => {
    await out.writeBytes(bytes.getBytes());
    bytes.index = 0;
  };
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: 'root', num_children: columns.length + 1 },
      ...columns.map(({ name, kind }) =>
        kind === 'integer'
          ? ({ name, type: 'INT64', repetition_type: 'OPTIONAL' } as const)
          : ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const),
      ),
      { name: DECIMALS, type: 'INT32', repetition_type: 'OPTIONAL' },
    ],
    createdBy: 'poker-bridge',
  });
  const writeGroup = async (rows: readonly ReportRecord[]): Promise<void> => {
    await writer.write({
      columnData: [
        ...columns.map(({ name, kind }) => ({
          name,
          data: rows.map((row) => (kind === 'integer' ? integerOf(row, name) : textOf(row[name]))),
        })),
        { name: DECIMALS, data: rows.map((row) => facts.precisions.get(String(row['currency'])) ?? null) },
      ],
      rowGroupSize: GROUP_ROWS,
    });
    await drain();
  };
  let rows: ReportRecord[] = [];
  for await (const line of records.lines()) {
    rows.push(parseExactJson(line) as ReportRecord);
    if (rows.length < GROUP_ROWS) continue;
    await writeGroup(rows);
    rows = [];
  }
  if (rows.length > 0) await writeGroup(rows);
  await writer.finish();
  await drain();
}

function columnsOf({ members, integers }: TableFacts): Column[] {
  return [...members].map((name) => ({ name, kind: integers.has(name) ? 'integer' : 'text' }));
}

function integerOf(row: ReportRecord, name: string): bigint | null {
  const value = row[name];
  if (value === undefined || value === null) return null;
  const integer = BigInt(value as number | bigint);
  if (integer <= LARGEST && integer >= -LARGEST - 1n) return integer;
  throw new ExitError(
    EXIT.failed,
    `${name} of a record needs more than 64 bits: take .csv, .ndjson or .json`,
  );
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : exactJson(value);
}
