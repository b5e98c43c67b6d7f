import type { Environment } from '../settings/environment.ts';
import type { Conventions } from './client.ts';

/** The names of the variables, without the prefix; a clients file uses them as they are. */
export const CONVENTION_NAMES = [
  'SIGNATURE_SCALARS',
  'SIGNATURE_OPEN_GAME_CLIENT',
  'SIGNATURE_JSON_STRINGS',
  'SIGNATURE_JSON_PLACEMENT',
  'SIGNATURE_EXCLUDE',
  'SIGNATURE_SCHEME_V3',
  'RAKE_PARAMETERS_IN',
  'PLAYER_COUNTRY_MEMBER',
] as const;

/** Reads conventions from variables whose names start with `prefix`; the defaults follow the interface document. */
export function readConventions(environment: Environment, prefix: string): Conventions {
  return {
    scalars: environment.choice(`${prefix}SIGNATURE_SCALARS`, ['php', 'json']),
    openGameClient: environment.choice(`${prefix}SIGNATURE_OPEN_GAME_CLIENT`, ['keep', 'drop']),
    jsonStrings: environment.choice(`${prefix}SIGNATURE_JSON_STRINGS`, ['containers', 'all', 'none']),
    jsonPlacement: environment.choice(`${prefix}SIGNATURE_JSON_PLACEMENT`, ['in-place', 'merge']),
    exclude: environment.choice(`${prefix}SIGNATURE_EXCLUDE`, ['top', 'deep']),
    schemeV3: environment.choice(`${prefix}SIGNATURE_SCHEME_V3`, ['parameters', 'raw-body']),
    rakeParametersIn: environment.choice(`${prefix}RAKE_PARAMETERS_IN`, ['form', 'query']),
    playerCountryMember: environment.text(`${prefix}PLAYER_COUNTRY_MEMBER`, 'country'),
  };
}
