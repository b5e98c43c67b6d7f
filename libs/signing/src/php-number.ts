import { RAW_JSON } from './exact-json.ts';
import type { SignatureSettings } from './signature-settings.ts';

const INTEGER = /^-?\d+$/;
/** Bits of a PHP integer; PHP reads a longer integer as a float. */
const INTEGER_BITS = 64;
/** Significant digits of a float that PHP converts to a string: the default of its setting `precision`. */
const PRECISION = 14;
/**
 * The most digits that JavaScript writes; enough to distinguish an exact tie from a value slightly above it.
 */
const MOST_DIGITS = 100;

/**
 * Converts a JSON number to a string as PHP does: an integer in decimal, a float with 14 significant digits.
 *
 * @param digits the number as written in the JSON text
 * @param nearest the nearest double
 */
export function phpNumber(digits: string, nearest: number): string {
  if (!INTEGER.test(digits)) return phpFloat(nearest);
  // `String` drops the minus sign of `-0`, as PHP does for an integer.
  if (Number.isSafeInteger(nearest)) return String(nearest);
  const integer = BigInt(digits);
  return BigInt.asIntN(INTEGER_BITS, integer) === integer ? digits : phpFloat(nearest);
}

/** Converts a float to a string as PHP does, for example `0.1`, `100000`, `1.0E+25` or `-0`. */
export function phpFloat(value: number): string {
  if (!Number.isFinite(value)) return value < 0 ? '-INF' : 'INF';
  if (Object.is(value, -0)) return '-0';
  // In an exact tie, JavaScript rounds up and PHP rounds to the even digit.
  const [tied] = /^-?\d\.\d{12}[02468](?=50*e)/.exec(value.toExponential(MOST_DIGITS)) ?? [];
  const [rounded = '', power = ''] = value.toExponential(PRECISION - 1).split('e');
  const digits = tied ?? rounded;
  if (Number(power) >= -4 && Number(power) < PRECISION) return String(Number(`${digits}e${power}`));
  return `${digits.replace(/(\.\d+?)0+$/, '$1')}E${power}`;
}

const CONTAINER = /^[ \t\n\r]*[[{]/;
const SCALAR = /^[ \t\n\r]*["\-\dtfn]/;
/** The deepest nesting of objects and lists that PHP's `json_decode` accepts by default. */
const MAX_DEPTH = 511;

/**
 * Returns the value that is signed for a string: the decoded JSON if the setting requires it, otherwise the
 * string itself. Decoding follows PHP's `json_decode`. Numbers become the text that PHP writes for them, and
 * nested strings are not decoded.
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

/** @throws SyntaxError for a lone surrogate, which PHP rejects */
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
