import { decodeJsonString } from './decode-json-string.ts';
import { isExcluded } from './is-excluded.ts';
import type { SignedParameters } from './canonicalize.ts';
import type { SignatureSettings } from './signature-settings.ts';
import { writeScalar } from './write-scalar.ts';

/** One value that is signed, in the order of signing. */
export interface SignedPiece {
  /** Names and positions from the top to the value, also through a decoded string. */
  readonly path: readonly string[];
  /** Neither object nor list. */
  readonly value: unknown;
  /** As it stands in the canonical string. */
  readonly text: string;
  /** Whether it was found in a string of JSON. */
  readonly isDecoded: boolean;
}

/** How the canonical string of a request is made: it is the text of all pieces, joined in order. */
export interface SignatureTrace {
  /** Names of the top level that take part, in order, and those that do not. */
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
  readonly pieces: readonly SignedPiece[];
}

/** Where a caller deviates from the interface document. */
export interface TraceDeviations {
  /** Default: by code unit. */
  readonly order?: (names: readonly string[]) => readonly string[];
  /** Names that take part although they are excluded. */
  readonly included?: ReadonlySet<string>;
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
