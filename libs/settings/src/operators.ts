import type { OperatorCredentials, PlatformSettings } from '#platform';

import { JsonFile } from './json-file.ts';
import { type Definition, httpRoot, MAX_DECIMALS, precisions } from './readers.ts';
import {
  readSecret,
  type ReadText,
  readTextFile,
  type SettingName,
  SETTINGS,
  type Settings,
} from './settings.ts';

/** The operator whose credentials are `PLATFORM_*`. */
const DEFAULT_OPERATOR = 'default';

const FILE = new JsonFile('OPERATORS_FILE');
const MEMBERS = [
  'baseUrl',
  'apiUrl',
  'clientId',
  'secretKey',
  'secretKeyFile',
  'currencyPrecisions',
  'settings',
];
/** The settings of section 6, each with the member of an operator's settings that it is. */
const OF_OPERATOR = new Map(
  (Object.keys(SETTINGS) as SettingName[]).flatMap((name): [SettingName, keyof PlatformSettings][] => {
    const { ofOperator }: Definition<unknown> = SETTINGS[name];
    return ofOperator === undefined ? [] : [[name, ofOperator]];
  }),
);

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
    currencyPrecisions: settings.CURRENCY_PRECISIONS,
    settings: platformSettings(settings),
  };
  if (settings.OPERATORS_FILE === undefined) return [standard];
  const operators = new Map([[DEFAULT_OPERATOR, standard]]);
  for (const [name, entry] of Object.entries(FILE.read(settings.OPERATORS_FILE, readText))) {
    operators.set(name, readOperator(name, entry, standard, settings, readText));
  }
  return [...operators.values()];
}

function readOperator(
  name: string,
  entry: unknown,
  standard: OperatorCredentials,
  settings: Settings,
  readText: ReadText,
): OperatorCredentials {
  const given = FILE.object(entry, `"${name}"`);
  FILE.refuseUnknown(given, MEMBERS, `"${name}"`);
  const read = <T>(member: string, how: (value: string) => T): T | undefined =>
    given[member] === undefined ? undefined : readMember(`"${name}": ${member}`, given[member], how);
  const clientId = read('clientId', String);
  if (clientId === undefined) throw FILE.fault(`"${name}": clientId is required`);
  const secretKey = read('secretKey', String);
  const { currencyPrecisions } = given;
  const ownPrecisions =
    typeof currencyPrecisions === 'object'
      ? precisionsOf(name, currencyPrecisions)
      : read('currencyPrecisions', precisions);
  const fromFile = read('secretKeyFile', (path) => readSecret(path, readText));
  if (secretKey !== undefined && fromFile !== undefined)
    throw FILE.fault(`"${name}" gives its secret key twice`);
  return {
    name,
    baseUrl: read('baseUrl', httpRoot) ?? standard.baseUrl,
    apiUrl: read('apiUrl', httpRoot) ?? standard.apiUrl,
    clientId,
    secretKey: secretKey ?? fromFile,
    currencyPrecisions: ownPrecisions ?? standard.currencyPrecisions,
    settings: platformSettings({ ...settings, ...readSection6(name, given['settings']) }),
  };
}

/** `{"USD": 2, "mBTC": 5}`. */
function precisionsOf(name: string, given: unknown): ReadonlyMap<string, number> {
  const currencies = Object.entries(FILE.object(given, `"${name}": currencyPrecisions`));
  const isCount = (decimals: unknown): decimals is number =>
    Number.isInteger(decimals) && Number(decimals) >= 0 && Number(decimals) <= MAX_DECIMALS;
  return new Map(
    currencies.map(([currency, decimals]) => {
      if (currency !== '' && isCount(decimals)) return [currency, decimals];
      throw FILE.fault(
        `"${name}": currencyPrecisions must give each currency a number of decimals from 0 to ${MAX_DECIMALS}`,
      );
    }),
  );
}

function readSection6(name: string, given: unknown): Partial<Settings> {
  if (given === undefined) return {};
  const values = Object.entries(FILE.object(given, `"${name}": settings`)).map(([variable, value]) => {
    if (!OF_OPERATOR.has(variable as SettingName))
      throw FILE.fault(`"${name}": settings has an unknown member "${variable}"`);
    const { read }: Definition<unknown> = SETTINGS[variable as SettingName];
    return [variable, readMember(`"${name}": ${variable}`, value, read)];
  });
  return Object.fromEntries(values) as Partial<Settings>;
}

function readMember<T>(where: string, value: unknown, how: (value: string) => T): T {
  if (typeof value !== 'string' || value === '')
    throw FILE.fault(`${where} must be a string that is not empty`);
  try {
    return how(value);
  } catch (error) {
    throw FILE.fault(`${where} ${(error as Error).message}`);
  }
}

function platformSettings(settings: Settings): PlatformSettings {
  const members = [...OF_OPERATOR].map(([name, member]) => [member, settings[name]]);
  const { PLATFORM_URL_HOSTS: hosts } = settings;
  return { ...(Object.fromEntries(members) as PlatformSettings), ...(hosts && { urlHosts: new Set(hosts) }) };
}
