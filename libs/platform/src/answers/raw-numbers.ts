import { parseExactJson } from '#signing';

const INTEGER = /^-?\d+$/;

/** A number as it was written; `JSON.stringify` writes it back so. */
interface RawNumber {
  readonly rawJSON: string;
}

/** The part of the language that its types do not know yet. */
const RAW = JSON as typeof JSON & {
  rawJSON(this: void, text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

/**
 * Parses JSON; a number that a double does not hold is a raw number, which `JSON.stringify` writes back digit for digit.
 *
 * @throws SyntaxError
 */
export function parseWithRawNumbers(text: string): unknown {
  return parseExactJson(text, RAW.rawJSON);
}

/** Whether a parsed value is an integer, of whatever size. */
export function isInteger(value: unknown): boolean {
  return Number.isSafeInteger(value) || (RAW.isRawJSON(value) && INTEGER.test(value.rawJSON));
}
