const DIGITS = 14;
/** The maximum number of digits that JavaScript writes. They distinguish an exact half from slightly more. */
const ALL_DIGITS = 100;
/** The maximum nesting depth of PHP's `json_decode` by default. */
const MAX_DEPTH = 511;
const INTEGER = /^-?\d+$/;

/**
 * Converts a number to a string like PHP: an integer of up to 64 bits with all its digits, any other as a
 * float.
 */
export function phpNumber(value: number | bigint): string {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : phpFloat(value);
  return BigInt.asIntN(64, value) === value ? String(value) : phpFloat(Number(value));
}

/** Writes a float with 14 significant digits, and with an exponent from 1.0E+14 on. */
function phpFloat(value: number): string {
  if (Object.is(value, -0)) return '-0';
  if (!Number.isFinite(value)) return value < 0 ? '-INF' : 'INF';
  const exponential = halfEven(value).replace(/\.?0*(?=e)/, '');
  const power = Number(exponential.split('e')[1]);
  if (power < -4 || power >= DIGITS) return exponential.replace(/^(-?\d)(?=e)/, '$1.0').replace('e', 'E');
  return String(Number(exponential));
}

/** `d.ddde±x`. Rounds half to even, unlike JavaScript, which always rounds half up. */
function halfEven(value: number): string {
  const exact = /^(-?\d\.\d{12}[02468])50*(e.*)$/.exec(value.toExponential(ALL_DIGITS));
  return exact ? `${exact[1]}${exact[2]}` : value.toExponential(DIGITS - 1);
}

type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * Parses JSON as a platform written in PHP would: nothing nested deeper than 511 levels, and integers of any
 * size keep their digits (as bigint beyond 2^53).
 * @returns undefined if the text is not such JSON
 */
export function parseJson(text: string): unknown {
  return parse(text, /\d{16}/.test(text) ? keepDigits : undefined);
}

/** Parses JSON whose values are signed: numbers become PHP's strings, and lone surrogates are rejected. */
export function parseSignedJson(text: string): unknown {
  return parse(text, asPhp);
}

function parse(text: string, revive: Reviver | undefined): unknown {
  try {
    // TypeScript's library does not declare the third parameter of a reviver yet (ES2026)
    const value: unknown = JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]);
    return text.length > MAX_DEPTH && isDeeper(value, MAX_DEPTH) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

const keepDigits: Reviver = (_name, value, { source = '' }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && INTEGER.test(source) ? BigInt(source) : value;

const asPhp: Reviver = (name, value, { source = '' }) => {
  if (!name.isWellFormed() || (typeof value === 'string' && !value.isWellFormed()))
    throw new SyntaxError('half a surrogate pair');
  if (typeof value !== 'number') return value;
  return INTEGER.test(source) ? phpNumber(BigInt(source)) : phpFloat(value);
};
