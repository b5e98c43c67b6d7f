import type { OperatorCredentials, PlatformSettings } from '#platform';

import { JsonFile } from './json-file.ts';
import { httpRoot } from './readers.ts';
import { readSecret, type ReadText, readTextFile, SETTINGS, type Settings } from './settings.ts';

/** The operator whose credentials are `PLATFORM_*`. */
const DEFAULT_OPERATOR = 'default';

const FILE = new JsonFile('OPERATORS_FILE');
const MEMBERS = new Set(['baseUrl', 'apiUrl', 'clientId', 'secretKey', 'secretKeyFile', 'settings']);
const SECTION_6 = [
  'SIGNATURE_SCALARS',
  'SIGNATURE_OPEN_GAME_CLIENT',
  'SIGNATURE_JSON_STRINGS',
  'SIGNATURE_JSON_PLACEMENT',
  'SIGNATURE_EXCLUDE',
  'SIGNATURE_SCHEME_V3',
  'RAKE_PARAMETERS_IN',
  'PLAYER_COUNTRY_MEMBER',
  'SESSION_ID',
  'REPORT_RECORDS',
] as const;
type PlatformVariables = Pick<Settings, (typeof SECTION_6)[number] | 'PLATFORM_URL_HOSTS'>;

/** How each member of an operator is read. */
interface Surroundings {
  readonly standard: OperatorCredentials;
  readonly settings: Settings;
  readonly readText: ReadText;
}

/**
 * The credentials of every operator: `default` from `PLATFORM_*`, further ones from `OPERATORS_FILE`.
 *
 * @throws SettingsError if the file cannot be read, or its content is not valid
 */
export function readOperators(settings: Settings, readText = readTextFile): OperatorCredentials[] {
  const standard: OperatorCredentials = {
    name: DEFAULT_OPERATOR,
    baseUrl: settings.PLATFORM_BASE_URL,
    apiUrl: settings.PLATFORM_API_URL,
    clientId: settings.PLATFORM_CLIENT_ID,
    secretKey: settings.PLATFORM_SECRET_KEY,
    settings: platformSettings(settings),
  };
  if (settings.OPERATORS_FILE === undefined) return [standard];
  const operators = new Map([[DEFAULT_OPERATOR, standard]]);
  for (const [name, entry] of Object.entries(FILE.read(settings.OPERATORS_FILE, readText))) {
    operators.set(name, readOperator(name, entry, { standard, settings, readText }));
  }
  return [...operators.values()];
}

function readOperator(
  name: string,
  entry: unknown,
  { standard, settings, readText }: Surroundings,
): OperatorCredentials {
  const given = FILE.object(entry, `"${name}"`);
  const unknown = Object.keys(given).find((member) => !MEMBERS.has(member));
  if (unknown !== undefined) throw FILE.fault(`"${name}" has an unknown member "${unknown}"`);
  const read = <T>(member: string, how: (value: string) => T): T | undefined => {
    const value = given[member];
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value === '')
      throw FILE.fault(`"${name}": ${member} must be a string that is not empty`);
    try {
      return how(value);
    } catch (error) {
      throw FILE.fault(`"${name}": ${member} ${(error as Error).message}`);
    }
  };
  const clientId = read('clientId', String);
  if (clientId === undefined) throw FILE.fault(`"${name}": clientId is required`);
  const secretKey = read('secretKey', String);
  const fromFile = read('secretKeyFile', (path) => readSecret(path, readText));
  if (secretKey !== undefined && fromFile !== undefined)
    throw FILE.fault(`"${name}" gives its secret key twice`);
  return {
    name,
    baseUrl: read('baseUrl', httpRoot) ?? standard.baseUrl,
    apiUrl: read('apiUrl', httpRoot) ?? standard.apiUrl,
    clientId,
    secretKey: secretKey ?? fromFile,
    settings: platformSettings({ ...settings, ...readSection6(name, given['settings']) }),
  };
}

function readSection6(name: string, given: unknown): Partial<PlatformVariables> {
  if (given === undefined) return {};
  const values: Record<string, unknown> = {};
  for (const [variable, value] of Object.entries(FILE.object(given, `"${name}": settings`))) {
    const known = SECTION_6.find((candidate) => candidate === variable);
    if (known === undefined) throw FILE.fault(`"${name}": settings has an unknown member "${variable}"`);
    if (typeof value !== 'string' || value === '')
      throw FILE.fault(`"${name}": ${variable} must be a string that is not empty`);
    try {
      values[known] = SETTINGS[known].read(value);
    } catch (error) {
      throw FILE.fault(`"${name}": ${variable} ${(error as Error).message}`);
    }
  }
  return values;
}

function platformSettings(variables: PlatformVariables): PlatformSettings {
  return {
    scalars: variables.SIGNATURE_SCALARS,
    openGameClient: variables.SIGNATURE_OPEN_GAME_CLIENT,
    jsonStrings: variables.SIGNATURE_JSON_STRINGS,
    jsonPlacement: variables.SIGNATURE_JSON_PLACEMENT,
    exclude: variables.SIGNATURE_EXCLUDE,
    schemeV3: variables.SIGNATURE_SCHEME_V3,
    rakeParametersIn: variables.RAKE_PARAMETERS_IN,
    playerCountryMember: variables.PLAYER_COUNTRY_MEMBER,
    sessionId: variables.SESSION_ID,
    reportRecords: variables.REPORT_RECORDS,
    ...(variables.PLATFORM_URL_HOSTS && { urlHosts: new Set(variables.PLATFORM_URL_HOSTS) }),
  };
}
