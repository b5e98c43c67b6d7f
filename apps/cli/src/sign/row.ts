import {
  DEFAULT_SIGNATURE_SETTINGS,
  exactJson,
  parseExactJson,
  SIGNATURE_VARIABLES,
  signatureOf,
  type SignatureSettings,
  signedText,
  type SignedParameters,
  type SignedRequest,
} from '#signing';

import { usageError } from '../exit.ts';
import { jsonFault } from '../input.ts';

export interface Row {
  /** As it was in the file. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly name: string | undefined;
  readonly parameters: SignedParameters;
  readonly secret: string | undefined;
  readonly settings: SignatureSettings;
  /** A signature to compare with. */
  readonly expectedSign: string | undefined;
  readonly rawBody?: string | undefined;
  /** What else is wrong with it, or to be known of it. */
  readonly notes?: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

const OTHER_VARIABLES = ['RAKE_PARAMETERS_IN', 'PLAYER_COUNTRY_MEMBER', 'SESSION_ID', 'REPORT_RECORDS'];

/** The request of a row; only open-game has a body with `data`, as it was sent or else as this service sends it. */
export function requestOf({ parameters, rawBody }: Row): SignedRequest {
  const { data } = parameters;
  const isOpenGame = typeof data === 'object' && data !== null;
  return { parameters, ...(isOpenGame && { body: rawBody ?? exactJson({ data }) }) };
}

/** What is signed, and the signature if there is a secret. */
export function signedBy(row: Row): { readonly canonical: string; readonly sign: string | undefined } {
  const canonical = signedText(requestOf(row), row.settings);
  return { canonical, sign: row.secret === undefined ? undefined : signatureOf(canonical, row.secret) };
}

/** @throws ExitError naming the row and the member that cannot be used, never its value */
export function readRows(text: string): { readonly rows: readonly Row[]; readonly isList: boolean } {
  const fault = jsonFault(text);
  if (fault !== undefined) throw usageError(`the file ${fault}`);
  const given = parseExactJson(text);
  if (!Array.isArray(given)) return { rows: [readRow(given, 'the file')], isList: false };
  return { rows: given.map((row, index) => readRow(row, `row ${index + 1}`)), isList: true };
}

function readRow(given: unknown, where: string): Row {
  if (!isObject(given)) throw usageError(`${where} must be an object`);
  const objectOf = (member: string): Json => {
    const value = given[member];
    if (isObject(value)) return value;
    throw usageError(`${where}: ${member} must be an object`);
  };
  /** `null` counts as absent: `--json` writes it if there is no digest. */
  const textOf = (member: string): string | undefined => {
    const value = given[member] ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    throw usageError(`${where}: ${member} must be a string`);
  };
  return {
    given,
    parameters: objectOf('parameters'),
    name: textOf('name'),
    secret: textOf('secret'),
    expectedSign: textOf('sign'),
    settings: readSettings(given['settings'] === undefined ? {} : objectOf('settings'), where),
  };
}

function readSettings(given: Json, where: string): SignatureSettings {
  const variables: Readonly<Record<string, { readonly member: string; readonly values: object }>> =
    SIGNATURE_VARIABLES;
  const overrides = Object.entries(given)
    .filter(([variable]) => !OTHER_VARIABLES.includes(variable))
    .map(([variable, value]) => {
      const known = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
      if (!known) throw usageError(`${where}: settings has an unknown member ${variable}`);
      if (Object.hasOwn(known.values, String(value))) return [known.member, value];
      throw usageError(`${where}: ${variable} must be one of ${Object.keys(known.values).join(', ')}`);
    });
  return { ...DEFAULT_SIGNATURE_SETTINGS, ...(Object.fromEntries(overrides) as Partial<SignatureSettings>) };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
