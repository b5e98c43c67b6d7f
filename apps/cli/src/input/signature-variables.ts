import type { SignatureSettings } from '#signing';

/** The variables of the settings, each with its member and its values. Source: bus contract, section 6. */
export const SIGNATURE_VARIABLES = {
  SIGNATURE_SCALARS: { member: 'scalars', values: ['php', 'json'] },
  SIGNATURE_OPEN_GAME_CLIENT: { member: 'openGameClient', values: ['keep', 'drop'] },
  SIGNATURE_JSON_STRINGS: { member: 'jsonStrings', values: ['containers', 'all', 'none'] },
  SIGNATURE_JSON_PLACEMENT: { member: 'jsonPlacement', values: ['in-place', 'merge'] },
  SIGNATURE_EXCLUDE: { member: 'exclude', values: ['top', 'deep'] },
  SIGNATURE_SCHEME_V3: { member: 'schemeV3', values: ['parameters', 'raw-body'] },
} as const satisfies Record<string, { member: keyof SignatureSettings; values: readonly string[] }>;
