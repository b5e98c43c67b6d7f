import type { SignatureSettings } from './signature-settings.ts';

/** The variables of the settings: the member of each, and what each of its values does, as opposed to the others. */
export const SIGNATURE_VARIABLES = {
  SIGNATURE_SCALARS: {
    member: 'scalars',
    values: {
      php: 'booleans and null are written as 1 and empty texts, not as true, false and null',
      json: 'booleans and null are written as true, false and null, not as 1 and empty texts',
    },
  },
  SIGNATURE_OPEN_GAME_CLIENT: {
    member: 'openGameClient',
    values: {
      keep: 'the query parameter client is signed, and must not be',
      drop: 'the query parameter client is not signed, and must be',
    },
  },
  SIGNATURE_JSON_STRINGS: {
    member: 'jsonStrings',
    values: {
      containers: 'only strings that hold an object or a list are decoded before signing',
      all: 'every string that holds JSON is decoded before signing',
      none: 'strings that hold JSON are left undecoded',
    },
  },
  SIGNATURE_JSON_PLACEMENT: {
    member: 'jsonPlacement',
    values: {
      'in-place': 'what a string of JSON holds is signed in the place of the string, not at the top level',
      merge: 'what a string of JSON holds is signed at the top level, not in the place of the string',
    },
  },
  SIGNATURE_EXCLUDE: {
    member: 'exclude',
    values: {
      top: 'names that take no part are removed at the top level, and not from nested objects',
      deep: 'names that take no part are removed from nested objects, and not only at the top level',
    },
  },
  SIGNATURE_SCHEME_V3: {
    member: 'schemeV3',
    values: {
      parameters: 'the parameters are signed, not the bytes of the body',
      'raw-body': 'the bytes of the body are signed, not the parameters',
    },
  },
} as const satisfies Record<
  string,
  { member: keyof SignatureSettings; values: Readonly<Record<string, string>> }
>;

export type SignatureVariable = keyof typeof SIGNATURE_VARIABLES;

const VARIABLES = Object.entries(SIGNATURE_VARIABLES) as [
  SignatureVariable,
  { member: keyof SignatureSettings; values: Readonly<Record<string, string>> },
][];

/** The variables whose values differ from those of other settings. */
export function differingSettings(
  settings: SignatureSettings,
  own: SignatureSettings,
): Partial<Record<SignatureVariable, string>> {
  const differing = VARIABLES.filter(([, { member }]) => settings[member] !== own[member]);
  return Object.fromEntries(differing.map(([variable, { member }]) => [variable, settings[member]]));
}

/** What other settings do, in a sentence. */
export function differenceOf(settings: SignatureSettings, own: SignatureSettings): string {
  const differences = VARIABLES.filter(([, { member }]) => settings[member] !== own[member]);
  const texts = differences.map(([, { member, values }]) => values[settings[member]]);
  return `Other settings than this client has here: ${texts.join('; ')}.`;
}

/** All other settings; those with the fewest differences come first, so that the simplest explanation is found. */
export function otherSettings(own: SignatureSettings): readonly SignatureSettings[] {
  const all = VARIABLES.reduce<readonly SignatureSettings[]>(
    (found, [, { member, values }]) =>
      found.flatMap((each) => Object.keys(values).map((value) => ({ ...each, [member]: value }))),
    [own],
  );
  const distance = (settings: SignatureSettings): number =>
    Object.keys(differingSettings(settings, own)).length;
  return all.toSorted((one, other) => distance(one) - distance(other)).slice(1);
}
