import { RAW_JSON } from './exact-json.ts';
import type { SignatureSettings } from './signature-settings.ts';

const INTEGER = /^-?\d+$/;
/** Bits of an integer of PHP; a longer one is read as a float. */
const INTEGER_BITS = 64;
/** Significant digits of a float that PHP makes into a string: its setting `precision`, by default. */
const PRECISION = 14;
/** The most digits that JavaScript writes; enough to tell half of a digit from a little more. */
const MOST_DIGITS = 100;

/**
 * A number of JSON as PHP writes it into a string: an integer in decimal, a float with 14 significant digits.
 *
 * @param digits as it was written
 * @param nearest the nearest double
 */
export function phpNumber(digits: string, nearest: number): string {
  if (!INTEGER.test(digits)) return phpFloat(nearest);
  // Without the minus of `-0`.
  if (Number.isSafeInteger(nearest)) return String(nearest);
  const integer = BigInt(digits);
  return BigInt.asIntN(INTEGER_BITS, integer) === integer ? digits : phpFloat(nearest);
}

/** A float as PHP writes it into a string, for example `0.1`, `100000`, `1.0E+25` or `-0`. */
export function phpFloat(value: number): string {
  if (!Number.isFinite(value)) return value < 0 ? '-INF' : 'INF';
  if (Object.is(value, -0)) return '-0';
  // If two are as near, JavaScript takes the larger one, and PHP the even one.
  const [tied] = /^-?\d\.\d{12}[02468](?=50*e)/.exec(value.toExponential(MOST_DIGITS)) ?? [];
  const [rounded = '', power = ''] = value.toExponential(PRECISION - 1).split('e');
  const digits = tied ?? rounded;
  if (Number(power) >= -4 && Number(power) < PRECISION) return String(Number(`${digits}e${power}`));
  return `${digits.replace(/(\.\d+?)0+$/, '$1')}E${power}`;
}

const CONTAINER = /^[ \t\n\r]*[[{]/;
const SCALAR = /^[ \t\n\r]*["\-\dtfn]/;
/** Objects and lists within each other that PHP's `json_decode` reads by default. */
const MAX_DEPTH = 511;

/**
 * What a string means in a signature: the JSON that it holds if the setting says so, else itself. It is read as PHP's
 * `json_decode` reads it; numbers become the text that PHP writes for them, and strings in it are not decoded again.
 */
export function decodeJsonString(text: string, jsonStrings: SignatureSettings['jsonStrings']): unknown {
  if (jsonStrings === 'none') return text;
  if (!CONTAINER.test(text) && !(jsonStrings === 'all' && SCALAR.test(text))) return text;
  try {
    const decoded = RAW_JSON.parse(text, revive);
    return isDeeper(decoded, MAX_DEPTH) ? text : decoded;
  } catch {
    return text;
  }
}

/** @throws SyntaxError for half of a surrogate pair, which PHP does not read */
function revive(name: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (!name.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())) {
    throw new SyntaxError('half of a surrogate pair');
  }
  return typeof value === 'number' ? phpNumber(source ?? String(value), value) : value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
