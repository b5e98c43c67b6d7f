import { hkdfSync } from 'node:crypto';

import type { OperatorCredentials, PlatformSettings } from '#platform';

import { JsonFile } from './json-file.ts';
import { type Definition, MAX_DECIMALS, precisions, type Reader } from './readers.ts';
import {
  readSecret,
  readSettings,
  readSomeSettings,
  type ReadText,
  readTextFile,
  type SettingName,
  SETTINGS,
  type Settings,
  stripEdges,
} from './settings.ts';

/** The operator whose credentials are `PLATFORM_*`. */
const DEFAULT_OPERATOR = 'default';
const KEY_BYTES = 32;

const FILE = new JsonFile('OPERATORS_FILE');
/**
 * Operator members that can also be set by an environment variable, which applies to the operator `default`.
 */
const VARIABLES = {
  baseUrl: 'PLATFORM_BASE_URL',
  apiUrl: 'PLATFORM_API_URL',
  clientId: 'PLATFORM_CLIENT_ID',
  secretKey: 'PLATFORM_SECRET_KEY',
  currencyPrecisions: 'CURRENCY_PRECISIONS',
} as const satisfies Readonly<Record<string, SettingName>>;
/** Settings that belong to a client id: operators of the file do not inherit them from `default`. */
const NOT_INHERITED = { PLATFORM_SECRET_KEY: undefined, PLATFORM_CLIENT_KEY: undefined };
const MEMBERS = 'baseUrl apiUrl clientId secretKey secretKeyFile currencyPrecisions settings'.split(' ');
/** The settings of section 6, each with the corresponding member of an operator's settings. */
const OF_OPERATOR = new Map(
  (Object.entries(SETTINGS) as [SettingName, Definition<unknown>][]).flatMap(([name, { ofOperator }]) =>
    ofOperator ? [[name, ofOperator] as const] : [],
  ),
);

/**
 * Returns the credentials of every operator: `default` from `PLATFORM_*`, further ones from `OPERATORS_FILE`.
 *
 * @throws SettingsError if the file cannot be read, or its content is invalid
 */
export function readOperators(settings: Settings, readText = readTextFile): OperatorCredentials[] {
  const operators = new Map([[DEFAULT_OPERATOR, operatorOf(DEFAULT_OPERATOR, settings)]]);
  const { OPERATORS_FILE: path } = settings;
  for (const [name, entry] of Object.entries(path === undefined ? {} : FILE.read(path, readText))) {
    const own = { ...NOT_INHERITED, ...ownSettings(`"${name}"`, entry, readText) };
    operators.set(name, operatorOf(name, { ...settings, ...own }));
  }
  return [...operators.values()];
}

/**
 * Derives the key that protects data written for other workers: from `INTERNAL_KEY`, otherwise from the
 * secret keys of all operators. All workers with the same settings have the same key. Source: bus contract,
 * sections 5 and 7.
 *
 * @returns 32 bytes; they can be guessed if there is neither an `INTERNAL_KEY` nor any secret key
 */
export function internalKeyOf(
  internalKey: string | undefined,
  operators: readonly Pick<OperatorCredentials, 'secretKey'>[],
): Buffer {
  const secrets = operators.flatMap(({ secretKey }) => secretKey ?? []);
  const material = internalKey ?? JSON.stringify([...new Set(secrets)].toSorted());
  return Buffer.from(hkdfSync('sha256', material, '', 'poker-bridge internal key', KEY_BYTES));
}

/**
 * Derives the same key from the environment. Reads the operators' settings only if `INTERNAL_KEY` is unset.
 *
 * @throws SettingsError with every variable that is missing or cannot be read
 */
export function readInternalKey(environment: NodeJS.ProcessEnv): Buffer {
  const { INTERNAL_KEY: given } = readSomeSettings(['INTERNAL_KEY'], environment);
  return internalKeyOf(given, given === undefined ? readOperators(readSettings(environment)) : []);
}

/**
 * Yields the string members of operators in `OPERATORS_FILE` that are sent to a platform, each with its
 * display name.
 */
export function* textsIn(
  { OPERATORS_FILE: path }: Settings,
  readText: ReadText,
): Generator<[string, string]> {
  for (const [name, entry] of Object.entries(path === undefined ? {} : FILE.read(path, readText))) {
    const { secretKeyFile, ...given } = entry as Record<string, unknown>;
    if (typeof secretKeyFile === 'string')
      given['secretKeyFile'] = readSecret(stripEdges(secretKeyFile), readText);
    for (const [member, value] of Object.entries(given))
      if (typeof value === 'string') yield [`OPERATORS_FILE: ${member} of "${name}"`, stripEdges(value)];
  }
}

function operatorOf(name: string, settings: Settings): OperatorCredentials {
  const members = Object.entries(VARIABLES).map(([member, variable]) => [member, settings[variable]]);
  const ofOperator = [...OF_OPERATOR].map(([variable, member]) => [member, settings[variable]]);
  const { PLATFORM_URL_HOSTS: hosts } = settings;
  return {
    name,
    ...(Object.fromEntries(members) as Pick<OperatorCredentials, keyof typeof VARIABLES>),
    settings: { ...(Object.fromEntries(ofOperator) as PlatformSettings), urlHosts: hosts && new Set(hosts) },
  };
}

/** Returns the settings that an entry of the file contains itself, under the names of the variables. */
function ownSettings(operator: string, entry: unknown, readText: ReadText): Partial<Settings> {
  const given = FILE.object(entry, operator);
  FILE.refuseUnknown(given, MEMBERS, operator);
  const { clientId, secretKey, secretKeyFile, settings = {} } = given;
  if (clientId === undefined) throw FILE.fault(`${operator}: clientId is required`);
  if (secretKey !== undefined && secretKeyFile !== undefined)
    throw FILE.fault(`${operator} must have only one of secretKey and secretKeyFile`);
  const own: Record<string, unknown> = {};
  const take = (member: string, value: unknown, variable: SettingName, read?: Reader<unknown>): void => {
    if (value !== undefined)
      own[variable] = readMember(`${operator}: ${member}`, value, read ?? SETTINGS[variable].read);
  };
  for (const [member, variable] of Object.entries(VARIABLES)) take(member, given[member], variable);
  take('secretKeyFile', secretKeyFile, 'PLATFORM_SECRET_KEY', (path) => readSecret(path, readText));
  for (const [variable, value] of Object.entries(FILE.object(settings, `${operator}: settings`))) {
    if (!OF_OPERATOR.has(variable as SettingName))
      throw FILE.fault(`${operator}: settings has an unknown member "${variable}"`);
    take(variable, value, variable as SettingName);
  }
  return own;
}

/** Reads a member like its variable; currency precisions can also be an object: `{"USD": 2, "mBTC": 5}`. */
function readMember(where: string, value: unknown, read: Reader<unknown>): unknown {
  if (read === precisions && typeof value === 'object') return precisionsIn(where, FILE.object(value, where));
  if (typeof value !== 'string' || stripEdges(value) === '')
    throw FILE.fault(`${where} must be a non-empty string`);
  try {
    return read(stripEdges(value));
  } catch (error) {
    throw FILE.fault(`${where} ${(error as Error).message}`);
  }
}

function precisionsIn(where: string, given: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  for (const [currency, decimals] of Object.entries(given)) {
    const isCount = Number.isInteger(decimals) && Number(decimals) >= 0 && Number(decimals) <= MAX_DECIMALS;
    if (currency === '' || !isCount)
      throw FILE.fault(`${where} must give each currency a number of decimals from 0 to ${MAX_DECIMALS}`);
  }
  return new Map(Object.entries(given));
}
