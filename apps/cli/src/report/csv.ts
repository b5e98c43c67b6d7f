import { exactJson } from '../input/exact-json.ts';

/** What a spreadsheet would take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[-+]?\d+(\.\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A line of CSV (RFC 4180), its end included. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

/**
 * A value as a cell. A text that a spreadsheet would run as a formula is preceded by an apostrophe: names are chosen by
 * players. Numbers stay as they are.
 */
function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? inert(value) : exactJson(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function inert(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/**
 * An amount in minor units as a decimal, exactly; undefined if it is no integer.
 *
 * @param precision the number of decimals
 */
export function decimalOf(amount: unknown, precision: number): string | undefined {
  if (typeof amount !== 'bigint' && !Number.isSafeInteger(amount)) return undefined;
  if (precision === 0) return String(amount);
  const [, sign = '', digits = ''] = /^(-?)(\d+)$/.exec(String(amount)) ?? [];
  const padded = digits.padStart(precision + 1, '0');
  return `${sign}${padded.slice(0, -precision)}.${padded.slice(-precision)}`;
}
