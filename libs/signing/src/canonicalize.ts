import { hash } from 'node:crypto';

import { decodeJsonString, phpFloat, phpNumber } from './php-number.ts';
import type { SignatureSettings, SignedParameters } from './signature-settings.ts';

/** Source: interface document, "Signature", step 2. */
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

/** Whether a parameter of the top level takes no part in the signature. */
export function isExcluded(name: string, settings: Pick<SignatureSettings, 'openGameClient'>): boolean {
  return EXCLUDED_NAMES.has(name) || (name === 'client' && settings.openGameClient === 'drop');
}

/** Whether a member of a nested object takes no part; `client` always does there, since only the query's can be dropped. */
export function isExcludedWithin(name: string, settings: Pick<SignatureSettings, 'exclude'>): boolean {
  return settings.exclude === 'deep' && EXCLUDED_NAMES.has(name);
}

/** The only code units whose order differs between UTF-16, by which JavaScript sorts, and UTF-8. */
const SURROGATE = /[\ud800-\udfff]/;

/** The names of an object's members by the bytes of their UTF-8, as PHP compares strings. */
export function sortedNames(members: object): string[] {
  const names = Object.keys(members).sort();
  return names.some((name) => SURROGATE.test(name)) ? names.sort(byBytes) : names;
}

function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** Writes a value that is neither object nor list as the canonical string holds it. */
export function writeScalar(value: unknown, scalars: SignatureSettings['scalars']): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : phpFloat(value);
  if (typeof value === 'bigint') return phpNumber(String(value), Number(value));
  if (scalars === 'json') return String(value);
  return value === true ? '1' : '';
}

/** The top level of a request after decoding. */
export interface TopLevel {
  readonly members: SignedParameters;
  /** Names of members that come from a decoded string, and are not decoded again. */
  readonly joined: ReadonlySet<string>;
}

/** Items of lists stand under the first position, so that they are signed in their order. */
const ITEMS = '0';
/** A key that PHP's arrays have as an integer. */
const POSITION = /^(?:0|-?[1-9]\d*)$/;
const NONE: ReadonlySet<string> = new Set();

/**
 * The top level of a request: its parameters, and if the settings say so, the members of every object and list that was
 * found in a string of JSON, at whatever depth, as PHP's `array_merge` joins them. The string itself is gone.
 *
 * A member replaces a parameter of its name, and of two members the later one of the request counts. Items of lists, and
 * members whose name is a whole number, replace nothing: they are appended.
 */
export function joinDecoded(parameters: SignedParameters, settings: SignatureSettings): TopLevel {
  if (settings.jsonPlacement === 'in-place') return { members: parameters, joined: NONE };
  const containers: object[] = [];
  const members = new Map(Object.entries(withoutContainers(parameters, settings, containers) as object));
  const joined = new Set<string>();
  const items: unknown[] = members.has(ITEMS) ? [members.get(ITEMS)] : [];
  for (const container of containers) {
    for (const [name, value] of Object.entries(container)) {
      if (POSITION.test(name)) items.push(value);
      else members.set(name, value);
      joined.add(POSITION.test(name) ? ITEMS : name);
    }
  }
  if (items.length > 0) members.set(ITEMS, items);
  return { members: Object.fromEntries(members), joined };
}

/** A value without the strings that hold an object or a list, which are decoded into `containers`. */
function withoutContainers(value: unknown, settings: SignatureSettings, containers: object[]): unknown {
  if (typeof value === 'string') {
    const decoded = decodeJsonString(value, settings.jsonStrings);
    if (typeof decoded !== 'object' || decoded === null) return value;
    containers.push(decoded);
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return value;
  const inner = (member: unknown): unknown => withoutContainers(member, settings, containers);
  if (Array.isArray(value)) return value.map(inner);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]));
}

/**
 * The string that is hashed with the secret key: every value that takes part, in the order of its key by byte, nested
 * values depth first, lists in their own order, without separators.
 * Source: interface document, "Signature", steps 1 to 4; bus contract, section 6.
 */
export function canonicalize(parameters: SignedParameters, settings: SignatureSettings): string {
  const { members, joined } = joinDecoded(parameters, settings);
  let canonical = '';
  for (const name of sortedNames(members)) {
    if (isExcluded(name, settings)) continue;
    canonical += joined.has(name) ? writeAsIs(members[name], settings) : write(members[name], settings);
  }
  return canonical;
}

function write(value: unknown, settings: SignatureSettings): string {
  if (typeof value !== 'string') return writeDecoded(value, settings, write);
  const decoded = decodeJsonString(value, settings.jsonStrings);
  return decoded === value ? value : writeDecoded(decoded, settings, writeAsIs);
}

/** A value of a decoded string: its strings are not decoded again. */
function writeAsIs(value: unknown, settings: SignatureSettings): string {
  return writeDecoded(value, settings, writeAsIs);
}

function writeDecoded(value: unknown, settings: SignatureSettings, writeMember: typeof write): string {
  if (value === undefined) return '';
  if (typeof value !== 'object' || value === null) return writeScalar(value, settings.scalars);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += writeMember(item, settings);
  } else {
    const members = value as SignedParameters;
    for (const name of sortedNames(members)) {
      if (!isExcludedWithin(name, settings)) text += writeMember(members[name], settings);
    }
  }
  return text;
}

/**
 * The signature of a request over its parameters: SHA-256 of the canonical string and the secret key,
 * as 64 lowercase hexadecimal digits. Source: interface document, "Signature", steps 5 and 6.
 */
export function sign(parameters: SignedParameters, secretKey: string, settings: SignatureSettings): string {
  return hash('sha256', canonicalize(parameters, settings) + secretKey, 'hex');
}

/** The signature of the scheme `raw-body`: SHA-256 of the body's bytes in UTF-8 and the secret key. */
export function signRawBody(body: string, secretKey: string): string {
  return hash('sha256', body + secretKey, 'hex');
}
