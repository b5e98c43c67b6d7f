import { jsonLine, written } from '../output.ts';
import type { ReportFacts } from './facts.ts';
import { toParquet } from './parquet.ts';
import type { ReportRecord } from './totals.ts';

type Records = AsyncIterable<ReportRecord>;

export type Format = keyof typeof FORMATS;

/** Characters with which a spreadsheet starts a formula. */
const FORMULA = /^[=+\-@\t\r]/;
/** The same after separators of cells and rows that a spreadsheet with other settings uses. */
const LATER_FORMULA = /(?<=[;\r\n][^\S\r\n]*)(?=[=+\-@])/g;
const NUMBER = /^[-+]?\d+([.,]\d+)?$/;
const NEEDS_QUOTES = /[",;\r\n]/;

/** Writers of files, by file extension. */
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

/**
 * Writes CSV (RFC 4180). Each amount is followed by its decimal, which is empty if the decimals of the
 * currency are unknown. With a decimal comma, semicolons separate the cells, as spreadsheets of these
 * languages expect.
 */
async function* toCsv(
  records: Records,
  facts: ReportFacts,
  { decimalComma = false }: { readonly decimalComma?: boolean | undefined },
): AsyncGenerator<string> {
  const columns = [...facts.columns.keys()].flatMap((member) => {
    const plain = { title: member, cellOf: (row: ReportRecord) => row[member] };
    if (!facts.amounts.includes(member)) return [plain];
    const decimalOf = (row: ReportRecord) => {
      const decimal = facts.decimalOf(row[member], row['currency']);
      return decimalComma ? decimal?.replace('.', ',') : decimal;
    };
    return [plain, { title: `${member}Decimal`, cellOf: decimalOf }];
  });
  const line = (cells: readonly unknown[]) => csvLine(cells, decimalComma ? ';' : ',');
  yield line(columns.map(({ title }) => title));
  for await (const record of records) yield line(columns.map(({ cellOf }) => cellOf(record)));
}

/**
 * Writes a line of CSV. Text that a spreadsheet would run as a formula gets an apostrophe: players choose
 * names.
 */
export function csvLine(values: readonly unknown[], separator = ','): string {
  const cells = values.map((value) => {
    const text = written(value ?? '');
    const isFormula = typeof value === 'string' && FORMULA.test(text) && !NUMBER.test(text);
    const later = typeof value === 'string' ? text.replace(LATER_FORMULA, "'") : text;
    const safe = isFormula ? `'${later}` : later;
    // Some spreadsheets read a quoted number as text.
    const isNumber = separator === ';' && NUMBER.test(safe);
    return NEEDS_QUOTES.test(safe) && !isNumber ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${cells.join(separator)}\r\n`;
}
