import {
  DEFAULT_SIGNATURE_SETTINGS,
  exactJson,
  parseExactJson,
  SIGNATURE_VARIABLES,
  signatureOf,
  type SignatureSettings,
  type SignatureVariable,
  signedText,
  type SignedParameters,
  type SignedRequest,
} from '#signing';

import { usageError } from '../exit.ts';
import { jsonFault } from '../input/json.ts';

/** One request to explain. */
export interface Row {
  /** As it was in the file. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly name: string | undefined;
  readonly parameters: SignedParameters;
  readonly secret: string | undefined;
  readonly settings: SignatureSettings;
  /** A signature to compare with. */
  readonly expectedSign: string | undefined;
  /** The body as it was sent, if that is known. */
  readonly rawBody?: string | undefined;
  /** What else is wrong with it, or to be known of it. */
  readonly notes?: readonly string[];
}

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

/** Settings of the platform that do not affect signatures. */
const OTHER_VARIABLES = new Set([
  'RAKE_PARAMETERS_IN',
  'PLAYER_COUNTRY_MEMBER',
  'SESSION_ID',
  'REPORT_RECORDS',
]);

/** @throws ExitError naming the row and the member that cannot be used, never its value */
export function readRows(text: string): { readonly rows: readonly Row[]; readonly isList: boolean } {
  const fault = jsonFault(text);
  if (fault !== undefined) throw usageError(`the file ${fault}`);
  const given = parseExactJson(text);
  const isList = Array.isArray(given);
  const rows = (isList ? (given as unknown[]) : [given]).map((row, index) =>
    readRow(row, isList ? `row ${index + 1}` : 'the file'),
  );
  return { rows, isList };
}

function readRow(given: unknown, where: string): Row {
  if (!isObject(given)) throw usageError(`${where} must be an object`);
  const { parameters, settings = {} } = given;
  if (!isObject(parameters)) throw usageError(`${where}: parameters must be an object`);
  if (!isObject(settings)) throw usageError(`${where}: settings must be an object`);
  return {
    given,
    parameters,
    name: optionalText(given, 'name', where),
    secret: optionalText(given, 'secret', where),
    expectedSign: optionalText(given, 'sign', where),
    settings: readSettings(settings, where),
  };
}

function readSettings(given: Readonly<Record<string, unknown>>, where: string): SignatureSettings {
  const overrides = Object.entries(given)
    .filter(([variable]) => !OTHER_VARIABLES.has(variable))
    .map(([variable, value]) => {
      if (!isVariable(variable)) throw usageError(`${where}: settings has an unknown member ${variable}`);
      const { member, values } = SIGNATURE_VARIABLES[variable];
      if (!Object.hasOwn(values, String(value))) {
        throw usageError(`${where}: ${variable} must be one of ${Object.keys(values).join(', ')}`);
      }
      return [member, value];
    });
  return { ...DEFAULT_SIGNATURE_SETTINGS, ...(Object.fromEntries(overrides) as Partial<SignatureSettings>) };
}

function isVariable(name: string): name is SignatureVariable {
  return Object.hasOwn(SIGNATURE_VARIABLES, name);
}

/** `null` counts as absent: `--json` writes it if there is no digest. */
function optionalText(
  given: Readonly<Record<string, unknown>>,
  member: string,
  where: string,
): string | undefined {
  const value = given[member] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw usageError(`${where}: ${member} must be a string`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
