import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

import { parseExactJson } from '#signing';

import { EXIT, ExitError } from '../exit.ts';
import { written } from '../output.ts';
import type { RecordFacts, ReportRecord } from './records.ts';

/** Rows that are held in memory at once. */
const GROUP_ROWS = 10_000;
const LARGEST = 2n ** 63n - 1n;

/**
 * Writes records as Parquet: integers as INT64, everything else as text, and the decimals of a record's currency as INT32,
 * null if they are not known. An amount is its integer divided by ten to the power of the decimals.
 *
 * @throws ExitError if an integer needs more than 64 bits
 */
export async function* toParquet(
  lines: AsyncIterable<string>,
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
  for await (const rows of groupsOf(lines)) {
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

async function* groupsOf(lines: AsyncIterable<string>): AsyncGenerator<readonly ReportRecord[]> {
  let rows: ReportRecord[] = [];
  for await (const line of lines) {
    rows.push(parseExactJson(line) as ReportRecord);
    if (rows.length < GROUP_ROWS) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

function integerOf(name: string, value: number | bigint): bigint {
  const integer = BigInt(value);
  if (integer <= LARGEST && integer >= -LARGEST - 1n) return integer;
  throw new ExitError(
    EXIT.failed,
    `${name} of a record needs more than 64 bits: take .csv, .ndjson or .json`,
  );
}
