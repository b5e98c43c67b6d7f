import { exactJson, parseExactJson } from '#signing';

import { decimalOf, type RecordFacts, type ReportRecord } from './records.ts';

/** How the records of a report, each as JSON, become a file. */
export type Format = (lines: AsyncIterable<string>, facts: RecordFacts) => AsyncIterable<string | Uint8Array>;

/** What a spreadsheet would take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[-+]?\d+(\.\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]/;

/** Writes records as one JSON array. */
export async function* toJson(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const line of lines) {
    yield separator + line;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

/**
 * Writes records as CSV (RFC 4180): a line of titles, the same for every report of its name, then one for each record.
 * Beside each amount comes its decimal, empty if the decimals of the currency are not known.
 */
export async function* toCsv(
  lines: AsyncIterable<string>,
  { members, amounts, precisions }: RecordFacts,
): AsyncGenerator<string> {
  const row = (plain: (member: string) => unknown, decimal: (member: string) => unknown): string =>
    csvLine(
      members.flatMap((member) =>
        amounts.includes(member) ? [plain(member), decimal(member)] : [plain(member)],
      ),
    );
  yield row(String, (member) => `${member}Decimal`);
  for await (const line of lines) {
    const record = parseExactJson(line) as ReportRecord;
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
