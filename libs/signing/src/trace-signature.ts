import { decodeJsonString } from './php-number.ts';
import { isExcluded, isExcludedWithin, joinDecoded, sortedNames, writeScalar } from './canonicalize.ts';
import type { SignatureSettings, SignedParameters } from './signature-settings.ts';

/** One value that is signed, in the order of signing. */
export interface SignedPiece {
  /** Names and positions from the top to the value, also through a decoded string; where it is signed, not where it was sent. */
  readonly path: readonly string[];
  /** Neither object nor list. */
  readonly value: unknown;
  /** As it stands in the canonical string. */
  readonly text: string;
  /** Whether it was found in a string of JSON. */
  readonly isDecoded: boolean;
  /** Whether it joined the top level from there. */
  readonly isJoined: boolean;
}

/** How the canonical string of a request is made: it is the text of all pieces, joined in order. */
export interface SignatureTrace {
  /** Names of the top level that take part, in order. */
  readonly kept: readonly string[];
  /** Paths of what takes no part; of one name at the top level. */
  readonly dropped: readonly (readonly string[])[];
  readonly pieces: readonly SignedPiece[];
}

/** Where a caller deviates from the interface document. */
export interface TraceDeviations {
  /** The names of an object in its order, by its depth from 0; default: by byte. */
  readonly order?: (members: object, depth: number) => readonly string[];
  /** Names that take part although they are excluded. */
  readonly included?: readonly string[];
  /** How an object or a list at this depth or below is written; default: as its members. */
  readonly nested?: { readonly fromDepth: number; readonly write: (value: unknown) => string };
}

/** A value that is signed, and its path. */
type Place = Pick<SignedPiece, 'path' | 'value' | 'isDecoded'>;

/**
 * Shows the steps of `canonicalize`; it takes several times as long.
 *
 * @param deviations a usual mistake, to show what it gives instead
 */
export function traceSignature(
  parameters: SignedParameters,
  settings: SignatureSettings,
  { order = sortedNames, included = [], nested }: TraceDeviations = {},
): SignatureTrace {
  const { members, joined } = joinDecoded(parameters, settings);
  const dropped: (readonly string[])[] = [];
  const kept = order(members, 0).filter((name) => takesPart([name], isExcluded(name, settings)));
  const pieces = kept.flatMap((name) =>
    write({ path: [name], value: members[name], isDecoded: joined.has(name) }),
  );
  return { kept, dropped, pieces };

  function takesPart(path: readonly string[], isExcludedHere: boolean): boolean {
    const isKept = !isExcludedHere || included.includes(path.at(-1) as string);
    if (!isKept) dropped.push(path);
    return isKept;
  }

  function write(place: Place): SignedPiece[] {
    const { path, value, isDecoded } = place;
    if (typeof value === 'string' && !isDecoded) {
      const decoded = decodeJsonString(value, settings.jsonStrings);
      if (decoded !== value) return write({ path, value: decoded, isDecoded: true });
    }
    if (value === undefined) return [];
    if (typeof value !== 'object' || value === null) {
      const text = writeScalar(value, settings.scalars);
      return [{ path, value, text, isDecoded, isJoined: joined.has(path[0] as string) }];
    }
    if (nested && path.length >= nested.fromDepth && !isDecoded) {
      return [{ path, value, text: nested.write(value), isDecoded, isJoined: false }];
    }
    return namesOf(value, path).flatMap((name) =>
      write({ path: [...path, name], value: (value as SignedParameters)[name], isDecoded }),
    );
  }

  function namesOf(value: object, path: readonly string[]): readonly string[] {
    if (Array.isArray(value)) return Object.keys(value);
    return order(value, path.length).filter((name) =>
      takesPart([...path, name], isExcludedWithin(name, settings)),
    );
  }
}
