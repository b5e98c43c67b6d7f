import { PhpFloat } from './php-float.ts';

/** What `json_decode` of PHP reads by default. */
const MAX_DEPTH = 511;

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
  if (text.length > MAX_DEPTH && depthOf(text) > MAX_DEPTH) return undefined;
  try {
    // TypeScript's library does not know the third parameter of a reviver yet (ES2026)
    return { value: JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]) };
  } catch {
    return undefined;
  }
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return deepest;
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
