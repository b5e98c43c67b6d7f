import { hash } from 'node:crypto';

import { joinDecoded } from './join-decoded.ts';
import { decodeJsonString, phpFloat, phpNumber } from './php-number.ts';
import type { SignatureSettings, SignedParameters } from './signature-settings.ts';

export const PAGINATION: readonly string[] = ['per-page', 'page', 'sort'];
/** Source: interface document, "Signature", step 2. */
export const EXCLUDED_NAMES: ReadonlySet<string> = new Set([
  ...'clientId access-token action auth channel controller locale method module sign version'.split(' '),
  ...PAGINATION,
]);

/**
 * The origin of a value: a parameter, a decoded JSON string, or a JSON string whose members were merged into
 * the top level.
 */
type Origin = 'sent' | 'decoded' | 'joined';

/** One signed value, in signing order. */
export interface SignedPiece {
  /**
   * Names and list positions from the top level to the value, including those in a decoded string. This is
   * the position where the value is signed, not where it was sent.
   */
  readonly path: readonly string[];
  /** A scalar: string, number, bigint, boolean or null. */
  readonly value: unknown;
  /** The value as it appears in the canonical string. */
  readonly text: string;
  readonly origin: Origin;
}

/** The input of a signature. */
export interface SignedRequest {
  readonly parameters: SignedParameters;
  /**
   * The body of open-game exactly as sent, which the scheme `raw-body` signs; absent for other operations.
   */
  readonly body?: string | undefined;
}

/** A common signing mistake, described by the step at which it differs. */
export interface Mistake {
  /** A sentence for the developer: what is wrong, and what is correct. */
  readonly reason: string;
  /** Parameters that are signed instead of the correct ones. */
  readonly parameters?: SignedParameters;
  /** Returns the names of an object in signing order; `depth` starts at 0. Default: sorted by byte. */
  readonly order?: (members: object, depth: number) => readonly string[];
  /** Excluded names that are signed nevertheless. */
  readonly included?: readonly string[];
  /** Writes objects and lists at this depth or deeper as one text; default: their members are signed. */
  readonly nested?: { readonly fromDepth: number; readonly write: (value: unknown) => string };
  /** Encodes the text of a value; default: unchanged. */
  readonly text?: (text: string) => string;
  /** Builds the part of the canonical string for a value; default: its text. */
  readonly piece?: (text: string, path: SignedPiece['path']) => string;
  /** The separator between the parts; default: none. */
  readonly separator?: string;
  /** Serializes the body again, if the scheme signs the body. */
  readonly body?: (body: string) => string;
  /**
   * Computes the signature from the canonical string and the secret key; default: SHA-256 of the two,
   * concatenated.
   */
  readonly seal?: (text: string, secretKey: string) => string;
}

/**
 * Returns the signature of a request: 64 lowercase hexadecimal digits. Source: interface document,
 * "Signature", steps 5 and 6.
 */
export function sign(request: SignedRequest, secretKey: string, settings: SignatureSettings): string {
  return signatureOf(signedText(request, settings), secretKey);
}

/**
 * Returns the SHA-256 of a text followed by the secret key; with `mistake`, the wrong signature it produces.
 */
export function signatureOf(text: string, secretKey: string, mistake?: Mistake): string {
  return mistake?.seal?.(text, secretKey) ?? hash('sha256', text + secretKey);
}

/**
 * Returns the canonical string of a request: all signed values without separators, or its body. With
 * `mistake`, returns the wrong string it produces.
 */
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

/**
 * Shows how the canonical string of a request is built: the signed values, and the paths of the excluded
 * ones.
 */
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
 * Calls `onValue` with every signed value, as `walkSigned` does. With `SIGNATURE_REPEATED_NAMES=last`, values
 * that share a name or position count once: the last value is signed in the place of the first. PHP code that
 * flattens nested arrays into one array does the same.
 *
 * @param onDropped called with the path of each value that is not signed
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
 * Calls `onValue` with every value that may be signed. Keys are sorted by byte, nested values are visited
 * depth first, and lists keep their order. Source: interface document, "Signature", steps 1 to 4; bus
 * contract, section 6.
 *
 * @param onValue called with the value as it is signed and its path; copy the path, because the walk modifies
 *   it afterwards
 * @param onDropped called with the path of each value that is not signed
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

/**
 * True if a name is not signed. A nested `client` is always signed: only the query parameter can be dropped.
 */
function isExcluded(name: string, isTop: boolean, { exclude, openGameClient }: SignatureSettings): boolean {
  if (isTop && name === 'client') return openGameClient === 'drop';
  return (isTop || exclude === 'deep') && EXCLUDED_NAMES.has(name);
}

/** The only code units that sort differently in UTF-16, which JavaScript compares, than in UTF-8. */
const SURROGATE = /[\ud800-\udfff]/;

/** Returns the member names of an object, sorted by their UTF-8 bytes, as PHP compares strings. */
export function sortedNames(members: object): string[] {
  const names = Object.keys(members).sort();
  if (!names.some((name) => SURROGATE.test(name))) return names;
  return names.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/** Returns a scalar as it appears in the canonical string. */
function writeScalar(value: unknown, scalars: SignatureSettings['scalars']): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : phpFloat(value);
  if (typeof value === 'bigint') return phpNumber(String(value), Number(value));
  if (scalars === 'json') return String(value);
  return value === true ? '1' : '';
}
