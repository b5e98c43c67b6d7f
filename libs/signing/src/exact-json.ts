/**
 * Matches every text that may contain a number which a double cannot represent. The digits must start a
 * value, so that a hexadecimal token does not match. The check is worthwhile because parsing with a reviver
 * takes five times as long.
 */
const LONG_NUMBER = /(?:^|[:,[\s])-?\d[\d.]*(?:\d{15}|[eE])/;
const INTEGER = /^-?\d+$/;

/** JSON functions of the language that TypeScript's types do not declare yet. */
export const RAW_JSON = JSON as unknown as {
  /** Passes the reviver the source text of each number, string, boolean and null. */
  parse(text: string, revive: (name: string, value: unknown, at: { source?: string }) => unknown): unknown;
  /** Creates a raw number, which `JSON.stringify` writes unchanged. */
  rawJSON(this: void, text: string): { readonly rawJSON: string };
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
};

/**
 * Parses JSON without losing digits of numbers that a double cannot represent: integers beyond 2^53, and
 * numbers that overflow.
 *
 * @param keep converts such a number, given its digits and the nearest double; default: returns a bigint if
 *   the number is written as an integer, otherwise the double
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

/** Returns the JSON of a value from `parseExactJson`, with every digit preserved. */
export function exactJson(value: unknown, indent?: number): string {
  const write = (_name: string, member: unknown): unknown =>
    typeof member === 'bigint' ? RAW_JSON.rawJSON(String(member)) : member;
  return JSON.stringify(value, write, indent);
}

function bigintOf(digits: string, nearest: number): bigint | number {
  return INTEGER.test(digits) ? BigInt(digits) : nearest;
}
