/** All parameters of a request by name, from query, path, and form or body; `undefined` means absent. */
export type SignedParameters = Readonly<Record<string, unknown>>;

/**
 * Settings for the details of signing that the interface document leaves open. Each variable has a member and
 * values, with a text that contrasts the value with the others. The first value is the default. Source: bus
 * contract, section 6.
 */
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
  SIGNATURE_REPEATED_NAMES: {
    member: 'repeatedNames',
    values: {
      all: 'all values of a name take part, not the last one alone',
      last: 'of values with one name, at whatever depth, the last one takes part, in the place of the first',
    },
  },
  SIGNATURE_SCHEME_V3: {
    member: 'schemeV3',
    values: {
      parameters: 'the parameters are signed, not the bytes of the body',
      'raw-body': 'the bytes of the body are signed, not the parameters',
    },
  },
} as const satisfies Record<string, Variable>;

interface Variable {
  readonly member: string;
  readonly values: Readonly<Record<string, string>>;
}

type Variables = typeof SIGNATURE_VARIABLES;

/** One value per variable, keyed by its member. */
export type SignatureSettings = {
  readonly [V in Variables[keyof Variables] as V['member']]: keyof V['values'];
};

/** Every combination of values, starting with the defaults. */
export const EVERY_SIGNATURE_SETTING = Object.values<Variable>(SIGNATURE_VARIABLES).reduce<readonly object[]>(
  (all, { member, values }) =>
    all.flatMap((others) => Object.keys(values).map((value) => ({ ...others, [member]: value }))),
  [{}],
) as readonly SignatureSettings[];

/** The defaults, which follow the interface document literally. */
export const DEFAULT_SIGNATURE_SETTINGS = EVERY_SIGNATURE_SETTING[0] as SignatureSettings;
