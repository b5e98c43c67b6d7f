import { COMMAND_TYPES, isCommandType } from '#contracts';
import { validateCommand } from '#contracts/validation';
import { OPERATIONS, type OperatorCredentials, requestOf } from '#platform';
import { readSettings, readSomeSettings, SETTINGS, SettingsError } from '#settings';
import { parseExactJson, SIGNATURE_VARIABLES, type SignatureSettings, type SignedParameters } from '#signing';

import { commandFaults } from '../command-faults.ts';
import { usageError } from '../exit.ts';
import { jsonFault, readJson } from '../input.ts';
import { printable } from '../output.ts';
import { operatorNamed } from '../servers.ts';
import type { HttpRequest } from './read-http.ts';

export interface Row {
  /** As it was in the file. */
  readonly given: Json;
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
type Signer = Pick<OperatorCredentials, 'secretKey'> & { readonly settings: SignatureSettings };

const SESSION_PATH = /\/v2\/app\/users\/([^/]+)\/session$/;
/** What settings need to be complete, if nothing is called. */
const UNUSED = {
  PLATFORM_BASE_URL: 'http://127.0.0.1',
  PLATFORM_API_URL: 'http://127.0.0.1',
  PLATFORM_CLIENT_ID: 'unused',
};
/** The settings of the operator `default` with which a request is signed. */
const OF_REQUESTS = ['PLATFORM_SECRET_KEY', 'PLATFORM_SECRET_KEY_FILE', ...Object.keys(SIGNATURE_VARIABLES)];
/** Further settings that the request of a command needs. */
const OF_COMMANDS = ['PLATFORM_CLIENT_ID', 'RAKE_PARAMETERS_IN', 'PLAYER_COUNTRY_MEMBER', 'SESSION_ID'];
const DERIVED =
  "without session.id a worker derives one from the command's id, and signs it, too (SESSION_ID=derive)";

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
  const objectOf = (member: string, value = given[member]): Json => {
    if (isObject(value)) return value;
    throw usageError(`${where}: ${member} must be an object`);
  };
  /** `null` counts as absent: `--json` writes it if there is no digest. */
  const textOf = (member: string): string | undefined => {
    const value = given[member] ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    throw usageError(`${where}: ${member} must be a string`);
  };
  const variables = objectOf('settings', given['settings'] ?? {});
  const unknown = Object.keys(variables).find((name) => !Object.hasOwn(SETTINGS, name));
  if (unknown !== undefined) throw usageError(`${where}: settings has an unknown member ${unknown}`);
  try {
    const texts = Object.entries(variables).map(([key, value]) => [key, String(value)] as const);
    const all = readSettings({ ...UNUSED, ...Object.fromEntries(texts) });
    const { settings } = operatorNamed('default', all);
    const [name, secret, expectedSign] = ['name', 'secret', 'sign'].map(textOf);
    return { given, name, parameters: objectOf('parameters'), secret, expectedSign, settings };
  } catch (error) {
    throw error instanceof SettingsError ? usageError(`${where}: ${error.message}`) : error;
  }
}

/** @param operator one of `OPERATORS_FILE`, which needs all settings of a worker; default: `default`, which needs a few */
export function readSigner(operator: string | undefined, isForCommand = false): OperatorCredentials {
  if (operator !== undefined) return operatorNamed(operator, readSettings(process.env));
  const needed = [...OF_REQUESTS, ...(isForCommand ? OF_COMMANDS : [])];
  const given = Object.fromEntries(needed.map((name) => [name, process.env[name]]));
  return operatorNamed('default', readSettings({ ...UNUSED, ...given }));
}

/** @throws ExitError if the command is not valid; SettingsError if a setting is missing */
export async function rowOfCommand(type: string, data: string, operator: string | undefined): Promise<Row> {
  if (!isCommandType(type) || !OPERATIONS.includes(type)) {
    throw usageError(
      `${printable(type)} is not a command of this version; there are ${COMMAND_TYPES.join(', ')}`,
    );
  }
  const json: unknown = JSON.parse(await readJson('--data', data));
  const faults = commandFaults(type, json);
  if (faults.length > 0) throw usageError(`--data: ${faults.join('; ')}`);
  const signer = readSigner(operator, true);
  const given = validateCommand(type, json);
  const { REPORTS_PER_PAGE } = readSomeSettings(['REPORTS_PER_PAGE'], process.env);
  const { page = 1, perPage = REPORTS_PER_PAGE } = given as { page?: number; perPage?: number };
  const request = requestOf(type, given, { page, perPage }, signer);
  const { method, path, body, repeatAfterUnknown, parameters } = request;
  const isDerived = repeatAfterUnknown === 'once' && signer.settings.sessionId === 'derive';
  const sent = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return {
    ...rowOf(`${method} ${path}`, Object.fromEntries(sent), signer),
    expectedSign: undefined,
    rawBody: body?.text,
    notes: isDerived ? [DERIVED] : [],
  };
}

/** @throws Error with the reason, if its address or its body cannot be read */
export function rowOfRequest(request: HttpRequest, signer: Signer): Row {
  const { method, url, headers, body } = request;
  const address = URL.parse(/^https?:\/\//i.test(url) ? url : `http://localhost/${url.replace(/^\//, '')}`);
  if (!address) throw new Error('has an address that cannot be read');
  const query = Object.fromEntries(address.searchParams);
  const content = contentOf(body, headers.get('content-type'));
  const [, encodedId] = SESSION_PATH.exec(address.pathname) ?? [];
  const userId = encodedId === undefined ? undefined : decodeURIComponent(encodedId);
  const parameters = { ...query, ...(userId !== undefined && { userId }), ...content };
  return {
    ...rowOf(`${method} ${address.pathname}`, parameters, signer),
    expectedSign: headers.get('sign'),
    rawBody: body,
    notes: notesOf(request, userId, content),
  };
}

function rowOf(name: string, parameters: SignedParameters, { secretKey: secret, settings }: Signer) {
  return { given: { name, parameters }, name, parameters, secret, settings };
}

function contentOf(body: string | undefined, contentType = ''): SignedParameters {
  if (body === undefined) return {};
  const isForm = /^\s*application\/x-www-form-urlencoded/i.test(contentType);
  if (isForm || !isJsonLike(body)) return Object.fromEntries(new URLSearchParams(body));
  const fault = jsonFault(body);
  if (fault !== undefined) throw new Error(`has a body that ${fault}`);
  return parseExactJson(body) as SignedParameters;
}

/** What the platform refuses whatever the signature is. */
function notesOf(
  { headers, body = '' }: HttpRequest,
  userId: string | undefined,
  content: SignedParameters,
): string[] {
  const isOtherType = !headers.get('content-type')?.startsWith('application/vnd.api+json');
  return [
    ...(headers.has('sign') ? [] : ['it has no header sign']),
    ...(isJsonLike(body) && isOtherType ? ['its Content-Type is not application/vnd.api+json'] : []),
    ...(userId !== undefined && content['userId'] !== userId
      ? ['its form does not hold the userId of its path, which the platform wants in both']
      : []),
  ];
}

const isJsonLike = (body: string): boolean => /^\s*[{[]/.test(body);

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
