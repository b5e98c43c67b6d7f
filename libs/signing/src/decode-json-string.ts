import { phpNumber } from './php-number.ts';
import type { SignatureSettings } from './signature-settings.ts';

const CONTAINER = /^[ \t\n\r]*[[{]/;
const SCALAR = /^[ \t\n\r]*["\-\dtfn]/;
/** Objects and lists within each other that PHP's `json_decode` reads by default. */
const MAX_DEPTH = 511;

type Reviver = Parameters<typeof JSON.parse>[1];

/**
 * What a string stands for in a signature: the JSON that it holds if the setting says so, else itself. It is read as PHP's
 * `json_decode` reads it; numbers become the text that PHP writes for them, and strings in it are not decoded again.
 */
export function decodeJsonString(text: string, jsonStrings: SignatureSettings['jsonStrings']): unknown {
  if (jsonStrings === 'none') return text;
  if (!CONTAINER.test(text) && !(jsonStrings === 'all' && SCALAR.test(text))) return text;
  try {
    const decoded: unknown = JSON.parse(text, revive as Reviver);
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
