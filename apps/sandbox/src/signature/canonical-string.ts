import type { Conventions } from '../clients/client.ts';
import { parseJson } from './parse-json.ts';

/** Parameters of a request by name; values are strings or any JSON. */
export type Parameters = Readonly<Record<string, unknown>>;

/** The conventions that determine the canonical string. */
export type CanonicalConventions = Pick<Conventions, 'scalars' | 'openGameClient' | 'jsonStrings'>;

/** Removed before signing, at the top level only (interface document, "Signature", step 2). */
export const EXCLUDED_NAMES: ReadonlySet<string> = new Set([
  'clientId',
  'access-token',
  'action',
  'auth',
  'channel',
  'controller',
  'locale',
  'method',
  'module',
  'sign',
  'version',
  'per-page',
  'page',
  'sort',
]);

/** Concatenates the values that a request signs, sorted by name at every level, without separators. */
export function canonicalString(parameters: Parameters, conventions: CanonicalConventions): string {
  return Object.keys(parameters)
    .filter((name) => isSigned(name, conventions))
    .sort()
    .map((name) => write(parameters[name], conventions, 'decode'))
    .join('');
}

function isSigned(name: string, conventions: CanonicalConventions): boolean {
  return !EXCLUDED_NAMES.has(name) && !(name === 'client' && conventions.openGameClient === 'drop');
}

/** @param strings which strings are decoded; strings inside a decoded string are not decoded again */
function write(value: unknown, conventions: CanonicalConventions, strings: 'decode' | 'keep'): string {
  if (typeof value === 'string') {
    const decoded = strings === 'decode' ? decode(value, conventions.jsonStrings) : undefined;
    return decoded ? write(decoded.value, conventions, 'keep') : value;
  }
  if (Array.isArray(value)) return value.map((item) => write(item, conventions, strings)).join('');
  if (typeof value === 'object' && value !== null) {
    const members = value as Parameters;
    return Object.keys(members)
      .sort()
      .map((name) => write(members[name], conventions, strings))
      .join('');
  }
  return writeScalar(value, conventions.scalars);
}

/** The content of a string, if it is decoded before signing. */
export function decode(
  text: string,
  mode: Conventions['jsonStrings'],
): { readonly value: unknown } | undefined {
  if (mode === 'none' || text === '') return undefined;
  if (mode === 'containers' && !/^[ \t\r\n]*[[{]/.test(text)) return undefined;
  return parseJson(text);
}

/** How a value that is neither a string nor a container is signed. */
export function writeScalar(value: unknown, style: Conventions['scalars']): string {
  if (style === 'json' || typeof value === 'number' || typeof value === 'bigint') return String(value);
  return value === true ? '1' : '';
}
