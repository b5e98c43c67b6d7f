import { hash, timingSafeEqual } from 'node:crypto';

import type { Conventions } from '../settings/clients.ts';
import { parseSignedJson, PhpFloat } from './php-json.ts';

/** Parameters of a request by name; values are strings or any JSON. */
export type Parameters = Readonly<Record<string, unknown>>;

/** Parameters by name, all of them text. */
export type TextParameters = Readonly<Record<string, string | undefined>>;

/** The parameters in a query string; if a name is repeated, the last value counts. */
export function queryParameters(url: string): TextParameters {
  const start = url.indexOf('?');
  return start < 0 ? {} : formParameters(url.slice(start + 1));
}

/** The parameters in an `application/x-www-form-urlencoded` text. */
export function formParameters(text: string): TextParameters {
  const parameters = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(text)) parameters[name] = value;
  return parameters;
}

/** Whether a request's body is of this media type, whatever its parameters. */
export function hasMediaType(contentType: string | undefined, mediaType: string): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === mediaType;
}

/** The conventions that determine the canonical string. */
export type CanonicalConventions = Pick<
  Conventions,
  'scalars' | 'openGameClient' | 'jsonStrings' | 'jsonPlacement' | 'exclude'
>;

/** Removed before signing (interface document, "Signature", step 2). */
const EXCLUDED_NAMES: ReadonlySet<string> = new Set([
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
/** Names that PHP's arrays have as positions. */
const POSITION = /^(0|-?[1-9]\d*)$/;
/** Stands for a string whose content joins the top level. */
const TAKEN = Symbol('taken');

/** A value at the top level of what is signed. */
interface TopLevelValue {
  readonly value: unknown;
  /** Whether strings in it are decoded; those in a decoded string are not. */
  readonly strings: 'decode' | 'keep';
}

/** Concatenates the values that a request signs, sorted by name at every level, without separators. */
export function canonicalString(parameters: Parameters, conventions: CanonicalConventions): string {
  const level = topLevel(parameters, conventions);
  return [...level.keys()]
    .filter(
      (name) => !EXCLUDED_NAMES.has(name) && !(name === 'client' && conventions.openGameClient === 'drop'),
    )
    .sort(byBytes)
    .map((name) => level.get(name) as TopLevelValue)
    .map(({ value, strings }) => write(value, conventions, strings))
    .join('');
}

/**
 * What is signed at the top level: the parameters, or, if members of decoded strings join them, what PHP's `array_merge` of
 * both gives. A list has no names: its items follow each other at the place of the first position, `0`.
 */
function topLevel(
  parameters: Parameters,
  { jsonPlacement, jsonStrings }: CanonicalConventions,
): ReadonlyMap<string, TopLevelValue> {
  const level = new Map<string, TopLevelValue>();
  const joining: object[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    const rest = jsonPlacement === 'merge' ? takeContainers(value) : value;
    if (rest !== TAKEN) level.set(name, { value: rest, strings: 'decode' });
  }
  const positioned: unknown[] = [];
  for (const [name, value] of joining.flatMap((container) => Object.entries(container))) {
    if (POSITION.test(name)) positioned.push(value);
    else level.set(name, { value, strings: 'keep' });
  }
  if (positioned.length > 0) {
    const first = level.get('0');
    level.set('0', { value: first ? [first.value, ...positioned] : positioned, strings: 'keep' });
  }
  return level;

  function takeContainers(value: unknown): unknown {
    if (typeof value === 'string') {
      const decoded = decode(value, jsonStrings)?.value;
      if (!isContainer(decoded)) return value;
      joining.push(decoded);
      return TAKEN;
    }
    if (Array.isArray(value)) return value.map(takeContainers).filter((item) => item !== TAKEN);
    if (!isContainer(value)) return value;
    const members = Object.entries(value).map(([name, member]) => [name, takeContainers(member)] as const);
    return Object.fromEntries(members.filter(([, member]) => member !== TAKEN));
  }
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
  // `client` takes part here, since only the parameter of the query can be dropped
  return Object.keys(members)
    .filter((name) => conventions.exclude === 'top' || !EXCLUDED_NAMES.has(name))
    .sort(byBytes)
    .map((name) => write(members[name], conventions, strings))
    .join('');
}

/** The content of a string, if it is decoded before signing. */
function decode(text: string, mode: Conventions['jsonStrings']): { readonly value: unknown } | undefined {
  if (mode === 'none' || text === '') return undefined;
  if (mode === 'containers' && !/^[ \t\r\n]*[[{]/.test(text)) return undefined;
  return parseSignedJson(text);
}

/** Compares names by their bytes in UTF-8, which are in the order of code points. */
function byBytes(left: string, right: string): number {
  let index = 0;
  while (index < left.length && left.charCodeAt(index) === right.charCodeAt(index)) index++;
  return (left.codePointAt(index) ?? -1) - (right.codePointAt(index) ?? -1);
}

/** How a value that is neither a string nor a container is signed. */
function writeScalar(value: unknown, style: Conventions['scalars']): string {
  if (typeof value === 'number') return String(Number.isSafeInteger(value) ? value : new PhpFloat(value));
  if (typeof value === 'bigint')
    return String(BigInt.asIntN(64, value) === value ? value : new PhpFloat(Number(value)));
  if (value instanceof PhpFloat || style === 'json') return String(value);
  return value === true ? '1' : '';
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof PhpFloat);
}

/** The parts of a request that its signature covers. */
export interface SignedContent {
  readonly version: 'v2' | 'v3';
  readonly parameters: Parameters;
  /** The body as it arrived. */
  readonly body: Buffer;
}

/** What is signed, before the secret key is appended. */
export function signedText({ version, parameters, body }: SignedContent, conventions: Conventions): string {
  const isRaw = version === 'v3' && conventions.schemeV3 === 'raw-body';
  return isRaw ? body.toString() : canonicalString(parameters, conventions);
}

/** The SHA-256, in lowercase hexadecimal, that a caller with this secret sends as `sign`. */
export function expectedSignature(
  content: SignedContent,
  secretKey: string,
  conventions: Conventions,
): string {
  if (content.version === 'v3' && conventions.schemeV3 === 'raw-body')
    return hash('sha256', Buffer.concat([content.body, Buffer.from(secretKey)]));
  return hash('sha256', signedText(content, conventions) + secretKey);
}

/** Compares in constant time. */
export function isSameSignature(sent: string, expected: string): boolean {
  const sentBytes = Buffer.from(sent);
  const expectedBytes = Buffer.from(expected);
  return sentBytes.length === expectedBytes.length && timingSafeEqual(sentBytes, expectedBytes);
}
