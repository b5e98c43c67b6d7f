import type { Conventions } from '../clients/client.ts';
import { decode } from './decode.ts';
import { PhpFloat } from './php-float.ts';
import { isContainer, topLevel, type TopLevelValue } from './top-level.ts';

/** Parameters of a request by name; values are strings or any JSON. */
export type Parameters = Readonly<Record<string, unknown>>;

/** The conventions that determine the canonical string. */
export type CanonicalConventions = Pick<
  Conventions,
  'scalars' | 'openGameClient' | 'jsonStrings' | 'jsonPlacement' | 'exclude'
>;

/** Removed before signing (interface document, "Signature", step 2). */
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
  const level = topLevel(parameters, conventions);
  return [...level.keys()]
    .filter((name) => isSigned(name, conventions))
    .sort(byBytes)
    .map((name) => level.get(name) as TopLevelValue)
    .map(({ value, strings }) => write(value, conventions, strings))
    .join('');
}

/** Whether a name of the top level takes part. */
export function isSigned(name: string, conventions: CanonicalConventions): boolean {
  return !EXCLUDED_NAMES.has(name) && !(name === 'client' && conventions.openGameClient === 'drop');
}

/** Whether a name below the top level takes part; `client` is dropped from the query only. */
export function isSignedBelow(name: string, conventions: CanonicalConventions): boolean {
  return conventions.exclude === 'top' || !EXCLUDED_NAMES.has(name);
}

/** Compares names by their bytes in UTF-8, whose order is that of code points. */
export function byBytes(left: string, right: string): number {
  let index = 0;
  while (index < left.length && left.charCodeAt(index) === right.charCodeAt(index)) index++;
  return (left.codePointAt(index) ?? -1) - (right.codePointAt(index) ?? -1);
}

/** @param strings which strings are decoded; strings inside a decoded string are not decoded again */
function write(value: unknown, conventions: CanonicalConventions, strings: 'decode' | 'keep'): string {
  if (typeof value === 'string') {
    const decoded = strings === 'decode' ? decode(value, conventions.jsonStrings) : undefined;
    return decoded ? write(decoded.value, conventions, 'keep') : value;
  }
  if (!isContainer(value)) return writeScalar(value, conventions.scalars);
  if (Array.isArray(value)) return value.map((item) => write(item, conventions, strings)).join('');
  const members = value as Parameters;
  return Object.keys(members)
    .filter((name) => isSignedBelow(name, conventions))
    .sort(byBytes)
    .map((name) => write(members[name], conventions, strings))
    .join('');
}

/** How a value that is neither a string nor a container is signed. */
export function writeScalar(value: unknown, style: Conventions['scalars']): string {
  if (typeof value === 'number') return String(Number.isSafeInteger(value) ? value : new PhpFloat(value));
  if (typeof value === 'bigint')
    return String(BigInt.asIntN(64, value) === value ? value : new PhpFloat(Number(value)));
  if (value instanceof PhpFloat || style === 'json') return String(value);
  return value === true ? '1' : '';
}
