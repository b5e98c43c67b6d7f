import { parseExactJson } from './exact-json.ts';
import type { SignatureSettings } from './signature-settings.ts';

const CONTAINER = /^[ \t\n\r]*[[{]/;
const SCALAR = /^[ \t\n\r]*["\-\dtfn]/;

/**
 * What a string stands for in a signature: the JSON that it holds if the setting says so, else itself.
 * Strings in what is decoded are not decoded again. Integers keep their digits, since they are signed in decimal.
 */
export function decodeJsonString(text: string, jsonStrings: SignatureSettings['jsonStrings']): unknown {
  if (jsonStrings === 'none') return text;
  if (!CONTAINER.test(text) && !(jsonStrings === 'all' && SCALAR.test(text))) return text;
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}
