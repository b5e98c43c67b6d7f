import { jsonLine, written } from '../output.ts';
import type { ReportFacts } from './facts.ts';
import { toParquet } from './parquet.ts';
import type { ReportRecord } from './totals.ts';

type Records = AsyncIterable<ReportRecord>;

interface FormatOptions {
  /** True for CSV that spreadsheets of languages with a decimal comma can open. */
  readonly decimalComma?: boolean | undefined;
  /** The summary as JSON. */
  readonly summary: string;
}

export type Format = keyof typeof FORMATS;

/** What a spreadsheet would take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
/** The same after what other settings of a spreadsheet take for the end of a cell or a row. */
const LATER_FORMULA = /(?<=[;\r\n][^\S\r\n]*)(?=[=+\-@])/g;
const NUMBER = /^[-+]?\d+([.,]\d+)?$/;
const NEEDS_QUOTES = /[",;\r\n]/;

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

/**
 * Writes CSV (RFC 4180). Beside each amount comes its decimal, empty if the decimals of the currency are unknown.
 * With a decimal comma, semicolons separate the cells, as spreadsheets of these languages expect.
 */
async function* toCsv(
  records: Records,
  facts: ReportFacts,
  { decimalComma = false }: Pick<FormatOptions, 'decimalComma'>,
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

/** What a spreadsheet would run as a formula gets an apostrophe: names are chosen by players. */
export function csvLine(values: readonly unknown[], separator = ','): string {
  const cells = values.map((value) => {
    const text = written(value ?? '');
    const isFormula = typeof value === 'string' && FORMULA.test(text) && !NUMBER.test(text);
    const later = typeof value === 'string' ? text.replace(LATER_FORMULA, "'") : text;
    const safe = isFormula ? `'${later}` : later;
    // Quoted, some spreadsheets would take it for a text.
    const isNumber = separator === ';' && NUMBER.test(safe);
    return NEEDS_QUOTES.test(safe) && !isNumber ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${cells.join(separator)}\r\n`;
}
