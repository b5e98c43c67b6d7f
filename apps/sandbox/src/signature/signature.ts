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
/** Names that PHP's arrays have as positions. */
const POSITION = /^(0|-?[1-9]\d*)$/;

/** What a request signs, before the secret key is appended. @param body of open-game, as it arrived */
export function signedContent(parameters: Parameters, conventions: Conventions, body?: Buffer) {
  if (body && conventions.schemeV3 === 'raw-body') return body;
  const found: object[] | undefined = conventions.jsonPlacement === 'merge' ? [] : undefined;
  const decoded = decodeAll(parameters, conventions, found) as object;
  const top = (found ? merged([decoded, ...found]) : decoded) as { client?: unknown };
  if (conventions.openGameClient === 'drop') delete top.client;
  return write(top, conventions, true);
}

/**
 * Decodes the JSON in every string of a request. Strings in what was decoded stay as they are.
 * @param found takes the objects and lists, of which nothing stays in their place; absent: they stay there
 */
function decodeAll(value: unknown, conventions: Conventions, found?: object[]): unknown {
  if (typeof value === 'string') {
    const decoded = decode(value, conventions.jsonStrings);
    if (!found || !isContainer(decoded)) return decoded;
    found.push(decoded);
    return '';
  }
  if (!isContainer(value)) return value;
  const inner = (member: unknown) => decodeAll(member, conventions, found);
  if (Array.isArray(value)) return value.map(inner);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]));
}

/** The content of a string if it is to be decoded and is JSON, else the string. */
function decode(text: string, mode: Conventions['jsonStrings']): unknown {
  if (mode === 'none' || (mode === 'containers' && !/^[ \t\r\n]*[[{]/.test(text))) return text;
  const value = parseSignedJson(text);
  return value === undefined ? text : value;
}

/** Joins members as `array_merge` of PHP does: of a name the last one counts, positions are appended. */
function merged(containers: readonly object[]): object {
  const members = containers.flatMap((container) => Object.entries<unknown>({ ...container }));
  const positioned = members.filter(([name]) => POSITION.test(name)).map(([, value]) => value);
  return { ...Object.fromEntries(members.filter(([name]) => !POSITION.test(name))), 0: positioned };
}

/** Concatenates the values, sorted by name at every level, without separators. */
function write(value: unknown, conventions: Conventions, isTop = false): string {
  if (!isContainer(value)) return writeScalar(value, conventions.scalars);
  if (Array.isArray(value)) return value.map((item) => write(item, conventions)).join('');
  const members = value as Parameters;
  const excluded = isTop || conventions.exclude === 'deep' ? EXCLUDED_NAMES : new Set();
  return Object.keys(members)
    .filter((name) => !excluded.has(name))
    .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .map((name) => write(members[name], conventions))
    .join('');
}

function writeScalar(value: unknown, style: Conventions['scalars']): string {
  if (typeof value === 'number' || typeof value === 'bigint') return phpNumber(value);
  if (typeof value === 'string' || style === 'json') return String(value);
  return value === true ? '1' : '';
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Whether a signature is the SHA-256, in lowercase hexadecimal, of what is signed and the secret key. */
export function isSignature(sent: string, signed: string | Buffer, secretKey: string): boolean {
  const digest = createHash('sha256').update(signed).update(secretKey).digest('hex');
  const [actual, expected] = [Buffer.from(sent), Buffer.from(digest)];
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
