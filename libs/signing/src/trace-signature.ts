import { decodeJsonString } from './decode-json-string.ts';
import { isExcluded } from './is-excluded.ts';
import type { SignedParameters } from './canonicalize.ts';
import type { SignatureSettings } from './signature-settings.ts';
import { writeScalar } from './write-scalar.ts';

/** One value that is signed, in its place of the order. */
export interface SignedPiece {
  /** Names and positions that lead to it, from the top, also through a string that was decoded. */
  readonly path: readonly string[];
  /** Neither object nor list. */
  readonly value: unknown;
  /** As it stands in the canonical string. */
  readonly text: string;
  /** Whether it was found in a string of JSON. */
  readonly isDecoded: boolean;
}

/** How a request comes to its canonical string, which is the text of all pieces in their order. */
export interface SignatureTrace {
  /** Names of the top level that take part, in their order, and those that do not. */
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
  readonly pieces: readonly SignedPiece[];
}

/** What a caller does otherwise than the interface document says. */
export interface TraceDeviations {
  /** Default: by code unit. */
  readonly order?: (names: readonly string[]) => readonly string[];
  /** Names that take part although they are excluded. */
  readonly included?: ReadonlySet<string>;
}

/** A value that is written, and where it stands. */
type Place = Pick<SignedPiece, 'path' | 'value' | 'isDecoded'>;

/**
 * The steps of `canonicalize`, for people to look at; it takes several times as long.
 *
 * @param deviations for showing what a usual mistake gives instead
 */
export function traceSignature(
  parameters: SignedParameters,
  settings: SignatureSettings,
  { order = sorted, included = new Set() }: TraceDeviations = {},
): SignatureTrace {
  const names = order(Object.keys(parameters));
  const takesPart = (name: string): boolean => included.has(name) || !isExcluded(name, settings);
  const kept = names.filter(takesPart);
  const pieces = kept.flatMap((name) => write({ path: [name], value: parameters[name], isDecoded: false }));
  return { kept, dropped: names.filter((name) => !takesPart(name)), pieces };

  function write(place: Place): SignedPiece[] {
    const { path, value, isDecoded } = place;
    if (typeof value === 'string' && !isDecoded) {
      const decoded = decodeJsonString(value, settings.jsonStrings);
      if (decoded !== value) return write({ path, value: decoded, isDecoded: true });
    }
    if (value === undefined) return [];
    if (typeof value !== 'object' || value === null) {
      return [{ path, value, isDecoded, text: writeScalar(value, settings.scalars) }];
    }
    const members = value as SignedParameters;
    const inOrder = Array.isArray(value) ? Object.keys(value) : order(Object.keys(members));
    return inOrder.flatMap((name) => write({ path: [...path, name], value: members[name], isDecoded }));
  }
}

function sorted(names: readonly string[]): readonly string[] {
  return [...names].sort();
}
