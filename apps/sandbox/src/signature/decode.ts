import type { Conventions } from '../clients/client.ts';
import { parseSignedJson } from './parse-json.ts';

/** The content of a string, if it is decoded before signing. */
export function decode(
  text: string,
  mode: Conventions['jsonStrings'],
): { readonly value: unknown } | undefined {
  if (mode === 'none' || text === '') return undefined;
  if (mode === 'containers' && !/^[ \t\r\n]*[[{]/.test(text)) return undefined;
  return parseSignedJson(text);
}
