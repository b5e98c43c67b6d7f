import type { OperatorCredentials } from '#platform';
import { readSettings, readSomeSettings, type SettingName } from '#settings';
import { SIGNATURE_VARIABLES, type SignatureSettings, type SignatureVariable } from '#signing';

import { operatorNamed } from '../input/operator-named.ts';

const VARIABLES = Object.keys(SIGNATURE_VARIABLES) as SignatureVariable[];

/** What a worker signs with. */
export interface OwnSettings {
  readonly secret: string | undefined;
  readonly settings: SignatureSettings;
}

/** And what it makes its requests of. */
export interface OwnRequestSettings extends OwnSettings {
  readonly clientId: string;
  readonly rakeParametersIn: 'form' | 'query';
  readonly playerCountryMember: string;
  readonly sessionId: 'derive' | 'omit';
  readonly perPage: number;
}

/**
 * The secret key and the signature settings of the environment.
 *
 * @param operator one of `OPERATORS_FILE`: then all settings of a worker are read. Default: `default`
 * @throws ExitError if a setting cannot be used, or there is no such operator
 */
export function readOwnSettings(operator: string | undefined): OwnSettings {
  if (operator !== undefined) return ownOf(readOperator(operator));
  const { PLATFORM_SECRET_KEY: secret, ...given } = read(['PLATFORM_SECRET_KEY', ...VARIABLES]);
  return { secret, settings: settingsOf(given) };
}

/** The same, and what a command's request is made of. @throws ExitError */
export function readOwnRequestSettings(operator: string | undefined): OwnRequestSettings {
  const { REPORTS_PER_PAGE: perPage } = read(['REPORTS_PER_PAGE']);
  if (operator !== undefined) {
    const credentials = readOperator(operator);
    return { ...ownOf(credentials), ...credentials.settings, clientId: credentials.clientId, perPage };
  }
  const given = read(['PLATFORM_CLIENT_ID', 'RAKE_PARAMETERS_IN', 'PLAYER_COUNTRY_MEMBER', 'SESSION_ID']);
  return {
    ...readOwnSettings(undefined),
    clientId: given.PLATFORM_CLIENT_ID,
    rakeParametersIn: given.RAKE_PARAMETERS_IN,
    playerCountryMember: given.PLAYER_COUNTRY_MEMBER,
    sessionId: given.SESSION_ID,
    perPage,
  };
}

function read<N extends SettingName>(names: readonly N[]) {
  return readSomeSettings(names, process.env);
}

function readOperator(name: string): OperatorCredentials {
  return operatorNamed(name, readSettings(process.env));
}

function ownOf({ secretKey, settings }: OperatorCredentials): OwnSettings {
  return { secret: secretKey, settings };
}

function settingsOf(given: Readonly<Record<SignatureVariable, string>>): SignatureSettings {
  const pairs = VARIABLES.map((variable) => [SIGNATURE_VARIABLES[variable].member, given[variable]]);
  return Object.fromEntries(pairs) as SignatureSettings;
}
