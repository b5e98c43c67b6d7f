/**
 * More values than a valid command has: 8 KiB of launch options contain at most two commas or brackets in three bytes
 * (`[{},{},…]`), and the other members are few.
 */
export const MAX_COMMAND_VALUES = 6_144;

const [QUOTE, BACKSLASH, COMMA, BRACE] = Buffer.from('"\\,{');
/** A brace is its bracket with one more bit. */
const BRACE_BIT = 0x20;

/**
 * True if JSON may contain more values than `most`. Parsed, a value of three bytes takes some 56. Every value but the first
 * follows a comma or an opening bracket, so those are counted, and nothing is parsed.
 */
export function hasMoreValues(json: Buffer, most: number): boolean {
  if (json.length <= most) return false;
  let values = 1;
  let isInText = false;
  for (let at = 0; at < json.length && values <= most; at += 1) {
    const byte = json[at] as number;
    if (isInText) {
      if (byte === QUOTE) isInText = false;
      else if (byte === BACKSLASH) at += 1;
    } else if (byte === QUOTE) isInText = true;
    else if (byte === COMMA || (byte | BRACE_BIT) === BRACE) values += 1;
  }
  return values > most;
}
