/**
 * Only such a text can hold a number that a double does not: digits at the beginning of a value, so that a token in hex is
 * not taken for one. With a reviver, parsing takes five times as long.
 */
const LONG_NUMBER = /(?:^|[:,[\s])-?\d[\d.]*(?:\d{15}|[eE])/;
const INTEGER = /^-?\d+$/;

/** The part of the language that TypeScript's types do not know yet. */
export const RAW_JSON = JSON as unknown as {
  /** A reviver is passed the source of each number, string, boolean and null. */
  parse(text: string, revive: (name: string, value: unknown, at: { source?: string }) => unknown): unknown;
  /** `JSON.stringify` writes a raw number as it was written. */
  rawJSON(this: void, text: string): { readonly rawJSON: string };
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
};

/**
 * Parses JSON without losing digits of numbers that a double does not hold: integers beyond 2^53, and what is too large.
 *
 * @param keep what such a number becomes, by its digits and the nearest double; default: a bigint if it is written as
 *   an integer, else the double
 * @throws SyntaxError, which may quote the text
 */
export function parseExactJson(
  text: string,
  keep: (digits: string, nearest: number) => unknown = bigintOf,
): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  return RAW_JSON.parse(text, (_name, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    const isExact = Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
    return isExact ? value : keep(source, value);
  });
}

/** The JSON of a value from `parseExactJson`, digit for digit. */
export function exactJson(value: unknown, indent?: number): string {
  const write = (_name: string, member: unknown): unknown =>
    typeof member === 'bigint' ? RAW_JSON.rawJSON(String(member)) : member;
  return JSON.stringify(value, write, indent);
}

function bigintOf(digits: string, nearest: number): bigint | number {
  return INTEGER.test(digits) ? BigInt(digits) : nearest;
}
