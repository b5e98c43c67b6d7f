const DIGITS = 14;
/** As many as JavaScript writes, to tell half of a digit from a little more. */
const ALL_DIGITS = 100;
/** The deepest nesting that `json_decode` of PHP reads by default. */
const MAX_DEPTH = 511;

/** A number that PHP has as a float. */
export class PhpFloat {
  constructor(readonly value: number) {}

  /** As PHP makes a string of it: 14 significant digits, and from 1.0E+14 on with an exponent. */
  toString(): string {
    const { value } = this;
    if (Object.is(value, -0)) return '-0';
    if (!Number.isFinite(value)) return value < 0 ? '-INF' : 'INF';
    const exponential = halfEven(value).replace(/\.?0*(?=e)/, '');
    const power = Number(exponential.split('e')[1]);
    if (power >= -4 && power < DIGITS) return decimal(exponential, power);
    return exponential.replace(/^(-?\d)(?=e)/, '$1.0').replace('e', 'E');
  }
}

/** `d.ddde±x`. Half of a digit goes to the even digit; JavaScript alone would always round it up. */
function halfEven(value: number): string {
  const exact = /^(-?\d\.\d{12}[02468])50*(e.*)$/.exec(value.toExponential(ALL_DIGITS));
  return exact ? `${exact[1]}${exact[2]}` : value.toExponential(DIGITS - 1);
}

function decimal(exponential: string, power: number): string {
  const digits = exponential.replace(/[-.]|e.*/g, '').length;
  return Number(exponential).toFixed(Math.max(0, digits - 1 - power));
}

type Reviver = (this: unknown, name: string, value: unknown, context?: { source?: string }) => unknown;

/**
 * Parses JSON as a platform written in PHP would: nothing nested deeper than 511 levels, and integers of any size
 * keep their digits (as bigint beyond 2^53).
 * @returns the value in an object, since `null` is a value, or undefined if the text is not such JSON
 */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  return parse(text, /\d{16}/.test(text) ? keepDigits : undefined);
}

/** Parses JSON whose values are signed: what PHP has as a float is a `PhpFloat`, and half a surrogate pair is refused. */
export function parseSignedJson(text: string): { readonly value: unknown } | undefined {
  return parse(text, asPhp);
}

function parse(text: string, revive: Reviver | undefined): { readonly value: unknown } | undefined {
  try {
    // TypeScript's library does not know the third parameter of a reviver yet (ES2026)
    const value: unknown = JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]);
    return text.length > MAX_DEPTH && isDeeper(value, MAX_DEPTH) ? undefined : { value };
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof PhpFloat) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

function keepDigits(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return context?.source && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}

function asPhp(name: string, value: unknown, context?: { source?: string }): unknown {
  if (!name.isWellFormed()) throw new SyntaxError('a name holds half a surrogate pair');
  if (typeof value === 'string' && !value.isWellFormed())
    throw new SyntaxError('a string holds half a surrogate pair');
  if (typeof value !== 'number') return value;
  const source = context?.source ?? '';
  if (!/^-?\d+$/.test(source)) return new PhpFloat(value);
  const integer = BigInt(source);
  return BigInt.asIntN(64, integer) === integer ? integer : new PhpFloat(value);
}
