import { createHash, timingSafeEqual } from 'node:crypto';

import type { Conventions } from '../settings/clients.ts';
import { parseSignedJson, phpNumber } from './php-json.ts';

/** Parameters of a request by name; values are strings or any JSON. */
export type Parameters = Readonly<Record<string, unknown>>;

/** Parameters by name, all of them text. */
export type TextParameters = Readonly<Record<string, string | undefined>>;

/** The parameters in a query string; if a name is repeated, the last value counts. */
export function queryParameters(url: string): TextParameters {
  return formParameters(url.replace(/^[^?]*/, ''));
}

/** The parameters in an `application/x-www-form-urlencoded` text, or a query that begins with `?`. */
export function formParameters(text: string): TextParameters {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Parameters that are removed before signing (interface document, "Signature", step 2). */
const EXCLUDED = 'access-token action auth channel clientId controller locale method module sign version';
const EXCLUDED_NAMES: ReadonlySet<string> = new Set([...EXCLUDED.split(' '), 'per-page', 'page', 'sort']);
/** Names that PHP converts to integer array keys. */
const POSITION = /^(0|-?[1-9]\d*)$/;

/** A scalar in its signed form, with its name or position. */
type Leaf = readonly [name: string, text: string];

/**
 * Returns the string that a request signs, before the secret key is appended.
 *
 * @param body of open-game, as it arrived
 */
export function signedContent(parameters: Parameters, conventions: Conventions, body?: Buffer) {
  if (body && conventions.schemeV3 === 'raw-body') return body;
  const found: object[] | undefined = conventions.jsonPlacement === 'in-place' ? undefined : [];
  // `merge-top` removes names before it decodes: those in strings of JSON take part.
  const isRemovedFirst = conventions.jsonPlacement === 'merge-top';
  const given = isRemovedFirst ? Object.fromEntries(entriesOf(parameters, conventions, 0)) : parameters;
  const decoded = decodeAll(given, conventions, found) as object;
  const top = (found ? merged([decoded, ...found]) : decoded) as { client?: unknown };
  if (conventions.openGameClient === 'drop') delete top.client;
  const leaves = leavesOf(top, isRemovedFirst ? { ...conventions, excluded: 'client-id' } : conventions);
  // Like PHP's `iterator_to_array`, which preserves keys: a later value replaces an earlier one at its
  // position.
  const kept = conventions.repeatedNames === 'last' ? [...new Map(leaves)] : leaves;
  return kept.map(([, text]) => text).join('');
}

/**
 * Decodes the JSON in every string of a request; if it is placed by `merge-top`, of the top level alone.
 * Strings in what was decoded stay as they are.
 * @param found takes the objects and lists, of which nothing stays in their place; absent: they stay there
 */
function decodeAll(value: unknown, conventions: Conventions, found?: object[], depth = 0): unknown {
  if (typeof value === 'string') {
    const decoded = decode(value, conventions.jsonStrings);
    if (!found || !isContainer(decoded)) return decoded;
    found.push(decoded);
    return '';
  }
  if (!isContainer(value) || (depth > 0 && conventions.jsonPlacement === 'merge-top')) return value;
  const inner = (member: unknown) => decodeAll(member, conventions, found, depth + 1);
  if (Array.isArray(value)) return value.map(inner);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]));
}

/** Returns the decoded content of a string if the mode applies and it is JSON; otherwise the string. */
function decode(text: string, mode: Conventions['jsonStrings']): unknown {
  if (mode === 'none' || (mode === 'containers' && !/^[ \t\r\n]*[[{]/.test(text))) return text;
  const value = parseSignedJson(text);
  return value === undefined ? text : value;
}

/** Joins members like PHP's `array_merge`: the last value of a name wins, and positions are appended. */
function merged(containers: readonly object[]): object {
  const members = containers.flatMap((container) => Object.entries<unknown>({ ...container }));
  const positioned = members.filter(([name]) => POSITION.test(name)).map(([, value]) => value);
  return { ...Object.fromEntries(members.filter(([name]) => !POSITION.test(name))), 0: positioned };
}

/** Returns the values of a request in the order in which they are signed. */
function leavesOf(holder: object, conventions: Conventions, depth = 0): Leaf[] {
  return entriesOf(holder, conventions, depth).flatMap(([name, value]): Leaf[] =>
    isContainer(value)
      ? leavesOf(value, conventions, depth + 1)
      : [[name, writeScalar(value, conventions.scalars)]],
  );
}

function entriesOf(
  holder: object,
  { exclude, excluded, sorting }: Conventions,
  depth: number,
): (readonly [string, unknown])[] {
  if (depth === 1 && sorting === 'by-value') {
    return Object.values(holder)
      .sort(byValue)
      .map((value, position) => [String(position), value] as const);
  }
  const entries = Object.entries(holder);
  if (Array.isArray(holder)) return entries;
  const names = excluded === 'document' ? EXCLUDED_NAMES : new Set(['clientId']);
  const kept = depth === 0 || exclude === 'deep' ? entries.filter(([name]) => !names.has(name)) : entries;
  if (depth > 0 && sorting !== 'deep') return kept;
  return kept.sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/**
 * Compares like PHP's `sort`, as far as requests need it: numbers by value, strings by byte, and arrays last.
 */
function byValue(one: unknown, other: unknown): number {
  if (isContainer(one) || isContainer(other)) return Number(isContainer(one)) - Number(isContainer(other));
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}

const PYTHON: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

function writeScalar(value: unknown, style: Conventions['scalars']): string {
  if (typeof value === 'number' || typeof value === 'bigint') return phpNumber(value);
  if (typeof value === 'string') return value;
  if (style === 'python') return PYTHON[String(value)] ?? '';
  if (style === 'json') return String(value);
  return value === true ? '1' : '';
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * Returns true if a signature is the SHA-256, in lowercase hexadecimal, of the signed string and the secret
 * key.
 */
export function isSignature(sent: string, signed: string | Buffer, secretKey: string): boolean {
  const digest = createHash('sha256').update(signed).update(secretKey).digest('hex');
  const [actual, expected] = [Buffer.from(sent), Buffer.from(digest)];
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
