import { randomUUID } from 'node:crypto';

/** Only such a text can hold an integer that a double does not. */
const LONG_INTEGER = /\d{16}/;
/** A string, or a number. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const WHOLE_LONG_INTEGER = /^-?\d{16,}$/;
/** Nobody who writes a message knows it. */
const MARK = randomUUID();

/**
 * Parses JSON without losing digits: an integer beyond 2^53 becomes a bigint. `JSON.parse` gives the source text of a
 * number from Node.js 21 on, so such a number is parsed as a marked string.
 *
 * @throws SyntaxError, which may quote the text
 */
export function parseExactJson(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (token) => (isBeyondDouble(token) ? `"${MARK}${token}"` : token));
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  );
}

function isBeyondDouble(token: string): boolean {
  return WHOLE_LONG_INTEGER.test(token) && !Number.isSafeInteger(Number(token));
}
