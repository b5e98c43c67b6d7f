/**
 * More values than any valid command contains: 8 KiB of launch options contain at most two commas or brackets
 * in three bytes (`[{},{},…]`), and the other members are few.
 */
export const MAX_COMMAND_VALUES = 6_144;

const [QUOTE, BACKSLASH, COMMA, BRACE, CLOSING] = Buffer.from('"\\,{}');
/** The bit in which a brace and the corresponding bracket differ. */
const BRACE_BIT = 0x20;

/**
 * Finds the member in which JSON exceeds `most` values. It counts commas and opening brackets, one of which
 * precedes every value but the first. It does not parse, because a parsed value of three bytes takes about
 * 56.
 *
 * @returns the member of the outermost object in which the count is exceeded, with its name as written; `""`
 *   if it is not in a member
 */
export function excessIn(json: Uint8Array, most: number): string | undefined {
  if (json.length <= most) return undefined;
  let values = 1;
  let depth = 0;
  let isInText = false;
  let textAt = 0;
  let name: readonly [start: number, end: number] = [0, 0];
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] as number;
    if (isInText) {
      if (byte === BACKSLASH) at += 1;
      if (byte !== QUOTE) continue;
      isInText = false;
      if (depth === 1) name = [textAt, at + 1];
    } else if (byte === QUOTE) [isInText, textAt] = [true, at];
    else if ((byte | BRACE_BIT) === CLOSING) depth -= 1;
    else if (byte === COMMA || (byte | BRACE_BIT) === BRACE) {
      if (byte !== COMMA) depth += 1;
      values += 1;
      if (values > most) return depth > 1 ? new TextDecoder().decode(json.subarray(...name)) : '""';
    }
  }
  return undefined;
}
