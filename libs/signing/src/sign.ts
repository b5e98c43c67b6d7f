import { hash } from 'node:crypto';

import { decodeJsonString, phpFloat, phpNumber } from './php-number.ts';
import type { SignatureSettings, SignedParameters } from './signature-settings.ts';

export const PAGINATION: readonly string[] = ['per-page', 'page', 'sort'];
/** Source: interface document, "Signature", step 2. */
export const EXCLUDED_NAMES: ReadonlySet<string> = new Set([
  ...'clientId access-token action auth channel controller locale method module sign version'.split(' '),
  ...PAGINATION,
]);

/** Where a value was found: as a parameter, within a string of JSON, or joined to the top level from such a string. */
type Origin = 'sent' | 'decoded' | 'joined';

/** One value that is signed, in the order of signing. */
export interface SignedPiece {
  /** Names and positions from the top to the value, also through a decoded string; where it is signed, not where it was sent. */
  readonly path: readonly string[];
  /** Neither object nor list. */
  readonly value: unknown;
  /** Its part of the canonical string. */
  readonly text: string;
  readonly origin: Origin;
}

/** A request as it is signed. */
export interface SignedRequest {
  readonly parameters: SignedParameters;
  /** The body of open-game, as it is sent, which the scheme `raw-body` signs; absent for the other operations. */
  readonly body?: string | undefined;
}

/** A usual mistake in signing: what it does differently at one step. */
export interface Mistake {
  /** A sentence for the developer who made it: what is wrong; what it must be. */
  readonly reason: string;
  /** What is signed instead of the parameters. */
  readonly parameters?: SignedParameters;
  /** The names of an object in its order, by its depth from 0; default: by byte. */
  readonly order?: (members: object, depth: number) => readonly string[];
  /** Names that take part although they are excluded. */
  readonly included?: readonly string[];
  /** How an object or a list at this depth or below is written; default: as its members. */
  readonly nested?: { readonly fromDepth: number; readonly write: (value: unknown) => string };
  /** How the text of a value is written; default: as it is. */
  readonly text?: (text: string) => string;
  /** How a value becomes a part of the string; default: its text. */
  readonly piece?: (text: string, path: SignedPiece['path']) => string;
  /** What is put between the parts; default: nothing. */
  readonly separator?: string;
  /** How the body is written again, if it is signed itself. */
  readonly body?: (body: string) => string;
  /** How the string and the secret key become the signature; default: SHA-256 of both. */
  readonly seal?: (text: string, secretKey: string) => string;
}

/** The signature of a request: 64 lowercase hexadecimal digits. Source: interface document, "Signature", steps 5 and 6. */
export function sign(request: SignedRequest, secretKey: string, settings: SignatureSettings): string {
  return signatureOf(signedText(request, settings), secretKey);
}

/** The SHA-256 of a text and the secret key; with a mistake, what is sent instead. */
export function signatureOf(text: string, secretKey: string, mistake?: Mistake): string {
  return mistake?.seal?.(text, secretKey) ?? hash('sha256', text + secretKey);
}

/** The canonical string of a request: every value that takes part, without separators; or its body. With a mistake, another one. */
export function signedText(
  { parameters, body }: SignedRequest,
  settings: SignatureSettings,
  mistake: Partial<Mistake> = {},
): string {
  if (body !== undefined && settings.schemeV3 === 'raw-body') return mistake.body?.(body) ?? body;
  const parts: string[] = [];
  visitSigned(mistake.parameters ?? parameters, settings, mistake, (value, _value, _origin, path) => {
    const text = mistake.text?.(value) ?? value;
    parts.push(mistake.piece?.(text, path) ?? text);
  });
  return parts.join(mistake.separator ?? '');
}

/** Shows how the canonical string of a request is made: which values take part, and the paths of those that do not. */
export function traceSignature(parameters: SignedParameters, settings: SignatureSettings) {
  const pieces: SignedPiece[] = [];
  const dropped: string[][] = [];
  visitSigned(
    parameters,
    settings,
    {},
    (text, value, origin, path) => pieces.push({ path: [...path], value, text, origin }),
    (path) => dropped.push([...path]),
  );
  return { dropped, pieces };
}

/**
 * Calls `onValue` with every value that is signed, as `walkSigned` does. With `SIGNATURE_REPEATED_NAMES=last`, of the values
 * with one name or position the last one counts, in the place of the first: PHP so flattens nested arrays into one array.
 *
 * @param onDropped is given the path of what takes no part
 */
function visitSigned(
  parameters: SignedParameters,
  settings: SignatureSettings,
  mistake: Partial<Mistake>,
  onValue: OnValue,
  onDropped?: (path: readonly string[]) => void,
): void {
  if (settings.repeatedNames === 'all') return walkSigned(parameters, settings, mistake, onValue, onDropped);
  const values = new Map<string, Parameters<OnValue>>();
  walkSigned(
    parameters,
    settings,
    mistake,
    (text, value, origin, path) => {
      const name = path.at(-1) ?? '';
      const replaced = values.get(name);
      if (replaced) onDropped?.(replaced[3]);
      values.set(name, [text, value, origin, [...path]]);
    },
    onDropped,
  );
  for (const value of values.values()) onValue(...value);
}

type OnValue = (text: string, value: unknown, origin: Origin, path: readonly string[]) => void;

/**
 * Calls `onValue` with every value that may be signed: in the order of its key by byte, nested values depth first, lists in their
 * own order. Source: interface document, "Signature", steps 1 to 4; bus contract, section 6.
 *
 * @param onValue is given the value as it is signed, and its path, which changes afterwards
 * @param onDropped is given the path of what takes no part
 */
function walkSigned(
  parameters: SignedParameters,
  settings: SignatureSettings,
  { order = sortedNames, included, nested }: Partial<Mistake>,
  onValue: OnValue,
  onDropped?: (path: readonly string[]) => void,
): void {
  const merged = settings.jsonPlacement === 'merge' ? joinDecoded(parameters, settings) : undefined;
  const path: string[] = [];
  walkMembers(merged?.members ?? parameters, 'sent');

  function walkMembers(members: object, origin: Origin): void {
    const names = Array.isArray(members) ? Object.keys(members) : order(members, path.length);
    for (const name of names) {
      const isTop = path.length === 0;
      path.push(name);
      if (isExcluded(name, isTop, settings) && !included?.includes(name)) onDropped?.(path);
      else walk((members as SignedParameters)[name], isTop && merged?.joined.has(name) ? 'joined' : origin);
      path.pop();
    }
  }

  function walk(value: unknown, origin: Origin): void {
    if (typeof value === 'string' && origin === 'sent') {
      const decoded = decodeJsonString(value, settings.jsonStrings);
      if (decoded !== value) return walk(decoded, 'decoded');
    }
    if (value === undefined) return;
    if (typeof value !== 'object' || value === null) {
      onValue(writeScalar(value, settings.scalars), value, origin, path);
    } else if (nested && path.length >= nested.fromDepth && origin === 'sent') {
      onValue(nested.write(value), value, origin, path);
    } else {
      walkMembers(value, origin);
    }
  }
}

/** Within nested objects, `client` always takes part: only the query's can be dropped. */
function isExcluded(name: string, isTop: boolean, { exclude, openGameClient }: SignatureSettings): boolean {
  if (isTop && name === 'client') return openGameClient === 'drop';
  return (isTop || exclude === 'deep') && EXCLUDED_NAMES.has(name);
}

/** Items of lists are kept under the first position, so that they are signed in their order. */
const ITEMS = '0';
/** A key that PHP's arrays have as an integer. */
const POSITION = /^(?:0|-?[1-9]\d*)$/;

/**
 * The top level of a request once the members of every object and list in its strings of JSON, at whatever depth, have joined
 * it, as PHP's `array_merge` joins them. The strings themselves are gone.
 *
 * A member replaces a parameter of its name, and of two members the later one of the request counts. Items of lists, and
 * members whose name is a whole number, replace nothing: they are appended.
 *
 * @returns `joined`: the names of what comes from a string, and is not decoded again
 */
function joinDecoded(parameters: SignedParameters, { jsonStrings }: SignatureSettings) {
  const containers: object[] = [];
  const withoutContainers = (value: unknown): unknown => {
    const read = typeof value === 'string' ? decodeJsonString(value, jsonStrings) : value;
    if (typeof read !== 'object' || read === null) return value;
    if (typeof value === 'string') return void containers.push(read);
    if (Array.isArray(read)) return read.map(withoutContainers);
    return Object.fromEntries(Object.entries(read).map(([name, each]) => [name, withoutContainers(each)]));
  };
  const members = new Map(Object.entries(withoutContainers(parameters) as object));
  const items: unknown[] = members.has(ITEMS) ? [members.get(ITEMS)] : [];
  const joined = new Set<string>();
  for (const [name, value] of containers.flatMap((container) => Object.entries<unknown>({ ...container }))) {
    if (POSITION.test(name)) items.push(value);
    else members.set(name, value);
    joined.add(POSITION.test(name) ? ITEMS : name);
  }
  if (items.length > 0) members.set(ITEMS, items);
  return { members: Object.fromEntries(members) as SignedParameters, joined };
}

/** The only code units whose order differs between UTF-16, by which JavaScript sorts, and UTF-8. */
const SURROGATE = /[\ud800-\udfff]/;

/** The names of an object's members by the bytes of their UTF-8, as PHP compares strings. */
export function sortedNames(members: object): string[] {
  const names = Object.keys(members).sort();
  if (!names.some((name) => SURROGATE.test(name))) return names;
  return names.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/** A value that is neither object nor list, as the canonical string holds it. */
function writeScalar(value: unknown, scalars: SignatureSettings['scalars']): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : phpFloat(value);
  if (typeof value === 'bigint') return phpNumber(String(value), Number(value));
  if (scalars === 'json') return String(value);
  return value === true ? '1' : '';
}
