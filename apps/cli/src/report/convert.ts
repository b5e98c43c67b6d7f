import { parseExactJson } from '#signing';

import { csvLine, decimalOf } from './csv.ts';
import type { WrittenFile } from './written-file.ts';

type ReportRecord = Readonly<Record<string, unknown>>;

/** What the lines of a report need besides themselves to become a table. */
export interface TableFacts {
  /** Every member that a record has, in the order in which they came. */
  readonly members: ReadonlySet<string>;
  readonly amounts: readonly string[];
  /** Those whose values are integers wherever they are not absent. */
  readonly integers: ReadonlySet<string>;
  /** Decimals of each currency; null if none are configured. */
  readonly precisions: ReadonlyMap<string, number | null>;
}

/** A column: its title, and its cell in the line of a record. */
interface Column {
  readonly title: string;
  readonly valueOf: (record: ReportRecord) => unknown;
}

/** Writes records, one JSON object a line, as one JSON array. */
export async function toJson(records: WrittenFile, out: WrittenFile): Promise<void> {
  let separator = '[\n';
  for await (const line of records.lines()) {
    await out.write(`${separator}${line}`);
    separator = ',\n';
  }
  await out.write(separator === '[\n' ? '[]\n' : '\n]\n');
}

/** Writes them as CSV: a line of titles, then one for each; beside an amount stands its decimal, if any is known. */
export async function toCsv(records: WrittenFile, out: WrittenFile, facts: TableFacts): Promise<void> {
  const columns = columnsOf(facts);
  await out.write(csvLine(columns.map(({ title }) => title)));
  for await (const line of records.lines()) {
    const record = parseExactJson(line) as ReportRecord;
    await out.write(csvLine(columns.map(({ valueOf }) => valueOf(record))));
  }
}

function columnsOf({ members, amounts, precisions }: TableFacts): Column[] {
  const isKnown = [...precisions.values()].some((precision) => precision !== null);
  return [...members].flatMap((member): Column[] => {
    const plain = { title: member, valueOf: (record: ReportRecord) => record[member] };
    if (!isKnown || !amounts.includes(member)) return [plain];
    const decimal = (record: ReportRecord): unknown => {
      const precision = precisions.get(String(record['currency'])) ?? null;
      return precision === null ? undefined : decimalOf(record[member], precision);
    };
    return [plain, { title: `${member}Decimal`, valueOf: decimal }];
  });
}
