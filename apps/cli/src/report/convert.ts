import { exactJson, parseExactJson } from '#signing';

import { decimalOf, type RecordFacts } from './records.ts';
import type { WrittenFile } from './written-file.ts';

type ReportRecord = Readonly<Record<string, unknown>>;

/** What the lines of a report need besides themselves to become a table. */
export interface TableFacts extends RecordFacts {
  /** Decimals of each currency; null if none are known. */
  readonly precisions: ReadonlyMap<string, number | null>;
}

/** A column: its title, and its cell in the line of a record. */
interface Column {
  readonly title: string;
  readonly valueOf: (record: ReportRecord) => unknown;
}

/** What a spreadsheet would take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[-+]?\d+(\.\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]/;

/** Writes records, one JSON object a line, as one JSON array. */
export async function toJson(records: WrittenFile, out: WrittenFile): Promise<void> {
  let separator = '[\n';
  for await (const line of records.lines()) {
    await out.write(`${separator}${line}`);
    separator = ',\n';
  }
  await out.write(separator === '[\n' ? '[]\n' : '\n]\n');
}

/**
 * Writes records as CSV (RFC 4180): a line of titles, the same for every report of its name, then one for each record.
 * Beside each amount stands its decimal, empty if the decimals of the currency are not known.
 */
export async function toCsv(records: WrittenFile, out: WrittenFile, facts: TableFacts): Promise<void> {
  const columns = columnsOf(facts);
  await out.write(csvLine(columns.map(({ title }) => title)));
  for await (const line of records.lines()) {
    const record = parseExactJson(line) as ReportRecord;
    await out.write(csvLine(columns.map(({ valueOf }) => valueOf(record))));
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

function columnsOf({ members, amounts, precisions }: TableFacts): Column[] {
  return members.flatMap((member): Column[] => {
    const plain = { title: member, valueOf: (record: ReportRecord) => record[member] };
    if (!amounts.includes(member)) return [plain];
    const decimal = (record: ReportRecord): unknown => {
      const precision = precisions.get(String(record['currency'])) ?? null;
      return precision === null ? undefined : decimalOf(record[member], precision);
    };
    return [plain, { title: `${member}Decimal`, valueOf: decimal }];
  });
}
