/** All parameters of a request, from query, path and form or body, by name; `undefined` is absent. */
export type SignedParameters = Readonly<Record<string, unknown>>;

/** How a platform signs what the interface document leaves open. Source: bus contract, section 6. */
export interface SignatureSettings {
  /** How `true`, `false` and `null` are written: `1`, nothing, nothing, or their names. */
  readonly scalars: 'php' | 'json';
  /** Whether the query parameter `client` takes part in the signature of open-game. */
  readonly openGameClient: 'keep' | 'drop';
  /** Which strings that hold JSON are decoded first: objects and lists, scalars too, or none. */
  readonly jsonStrings: 'containers' | 'all' | 'none';
  /** Where the members of a decoded object or list are signed: in the place of their string, or at the top level. */
  readonly jsonPlacement: 'in-place' | 'merge';
  /** Where the excluded names are removed: at the top level, or in nested objects too. */
  readonly exclude: 'top' | 'deep';
  /** What open-game is signed over: its parameters, or the bytes of its body. */
  readonly schemeV3: 'parameters' | 'raw-body';
}

/** To the letter of the interface document. */
export const DEFAULT_SIGNATURE_SETTINGS: SignatureSettings = Object.freeze({
  scalars: 'php',
  openGameClient: 'keep',
  jsonStrings: 'containers',
  jsonPlacement: 'in-place',
  exclude: 'top',
  schemeV3: 'parameters',
});
