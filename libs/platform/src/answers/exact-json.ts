/** Only such a text can hold a number that a double does not; with a reviver, parsing takes several times as long. */
const LONG_NUMBER = /\d{16}|\d[eE][-+]?\d/;
const INTEGER = /^-?\d+$/;

/** A number as it was written; `JSON.stringify` writes it back so. */
interface RawJson {
  readonly rawJSON: string;
}

/** The part of the language that its types do not know yet. */
const RAW = JSON as typeof JSON & {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

type Reviver = Parameters<typeof JSON.parse>[1];

/**
 * Parses JSON, keeping the digits of every number that is too large for a double.
 *
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits as Reviver) : JSON.parse(text);
}

/** Whether a parsed value is an integer, of whatever size. */
export function isInteger(value: unknown): boolean {
  return Number.isSafeInteger(value) || (RAW.isRawJSON(value) && INTEGER.test(value.rawJSON));
}

/** Whether a parsed value is a number that kept its digits; it must be passed on as the object that it is. */
export function isKeptNumber(value: unknown): boolean {
  return RAW.isRawJSON(value);
}

function keepDigits(_name: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  const isExact = Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
  return isExact ? value : RAW.rawJSON(source);
}
