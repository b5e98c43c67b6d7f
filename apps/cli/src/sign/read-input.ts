import { unescape } from 'node:querystring';

import { isCommandType } from '#contracts';
import { validateCommand } from '#contracts/validation';
import { type OperatorCredentials, requestOf } from '#platform';
import { readSettings, readSomeSettings, SETTINGS, SettingsError } from '#settings';
import { SIGNATURE_VARIABLES, type SignatureSettings, type SignedParameters } from '#signing';

import { commandFaults, unknownType } from '../command-faults.ts';
import { usageError } from '../exit.ts';
import { isObject, type Options, parseJson, readJson, readSource } from '../input.ts';
import { operatorNamed } from '../servers.ts';
import { type HttpRequest, type Json, readCurl, readHar, readRawRequest, REQUEST_LINE } from './read-http.ts';

export type InputOptions = Options<'curl' | 'har' | 'request' | 'command' | 'data' | 'operator'>;

export interface Row {
  readonly given: Json;
  readonly name: string | undefined;
  readonly parameters: SignedParameters;
  readonly secret: string | undefined;
  readonly settings: SignatureSettings;
  readonly expectedSign?: string | undefined;
  readonly rawBody?: string | undefined;
  readonly notes?: readonly string[];
}

type Signer = Pick<OperatorCredentials, 'secretKey'> & { readonly settings: SignatureSettings };

/** Formats of requests: the option, a pattern for the beginning of a file, and the parser. */
const KINDS = [
  { option: 'curl', start: /^\s*(\$\s+)?curl\s/, read: async (text: string) => [await readCurl(text)] },
  { option: 'request', start: REQUEST_LINE, read: (text: string) => [readRawRequest(text)] },
  { option: 'har', start: /^\s*\{\s*"log"\s*:/, read: readHar },
] as const;
const SESSION_PATH = /\/v2\/app\/users\/([^/]+)\/session$/;
/** Placeholders for required settings that are not used, because the platform is not called. */
const UNUSED = {
  PLATFORM_BASE_URL: 'http://127.0.0.1',
  PLATFORM_API_URL: 'http://127.0.0.1',
  PLATFORM_CLIENT_ID: 'unused',
};
/** Settings of the operator `default` that affect a signature. */
const OF_REQUESTS = ['PLATFORM_SECRET_KEY', 'PLATFORM_SECRET_KEY_FILE', ...Object.keys(SIGNATURE_VARIABLES)];
/** Further settings needed to turn a command into a request. */
const OF_COMMANDS = ['PLATFORM_CLIENT_ID', 'RAKE_PARAMETERS_IN', 'PLAYER_COUNTRY_MEMBER', 'SESSION_ID'];
const DERIVED =
  "without session.id a worker derives one from the command's id, and signs it, too (SESSION_ID=derive)";

/** Reads a row, or a list of rows. @throws ExitError unless exactly one readable input is given */
export async function readInput(
  path: string | undefined,
  options: InputOptions,
): Promise<Row | readonly Row[]> {
  const { command, data, operator, curl, har, request } = options;
  const given = [path, curl, har, request, command].filter((each) => each !== undefined);
  if (given.length !== 1) throw usageError('name one FILE, or one of --curl, --har, --request and --command');
  if (command !== undefined && data !== undefined) return rowOfCommand(command, data, operator);
  if ((command ?? data) !== undefined) throw usageError('--command and --data belong together');
  const [source = '-'] = given;
  // A copied line is easier to paste than to save in a file.
  const text = curl !== undefined && /^\s*curl\s/.test(curl) ? curl : await readSource(source);
  const kind = KINDS.find(({ option, start }) =>
    path === undefined ? options[option] !== undefined : start.test(text),
  );
  if (kind) {
    const signer = readSigner(operator);
    const rows = (await kind.read(text)).map((each) => rowOfRequest(each, signer));
    const [first, ...others] = rows;
    return first && others.length === 0 ? first : rows;
  }
  const json = parseJson(text, 'the file');
  if (!Array.isArray(json)) return readRow(json, 'the file');
  return json.map((row, index) => readRow(row, `row ${index + 1}`));
}

/** @throws ExitError with the row and the invalid member, never its value */
function readRow(given: unknown, where: string): Row {
  if (!isObject(given)) throw usageError(`${where} must be an object`);
  const objectOf = (member: string, value = given[member]): Json => {
    if (isObject(value)) return value;
    throw usageError(`${where}: ${member} must be an object`);
  };
  /** `null` counts as absent, because `--json` writes it if there is no digest. */
  const textOf = (member: string): string | undefined => {
    const value = given[member] ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    throw usageError(`${where}: ${member} must be a string`);
  };
  const variables = objectOf('settings', given['settings'] ?? {});
  const unknown = Object.keys(variables).find((name) => !Object.hasOwn(SETTINGS, name));
  if (unknown !== undefined) throw usageError(`${where}: settings has an unknown member ${unknown}`);
  const texts = Object.entries(variables).map(([key, value]) => [key, String(value)] as const);
  try {
    const { settings } = operatorWith(Object.fromEntries(texts));
    const [name, secret, expectedSign] = ['name', 'secret', 'sign'].map(textOf);
    return { given, name, parameters: objectOf('parameters'), secret, expectedSign, settings };
  } catch (error) {
    throw error instanceof SettingsError ? usageError(`${where}: ${error.message}`) : error;
  }
}

function operatorWith(variables: NodeJS.ProcessEnv): OperatorCredentials {
  return operatorNamed('default', readSettings({ ...UNUSED, ...variables }));
}

/**
 * @param operator an operator of `OPERATORS_FILE`, which needs all settings of a worker. Default: `default`
 */
function readSigner(operator: string | undefined, further: readonly string[] = []): OperatorCredentials {
  if (operator !== undefined) return operatorNamed(operator, readSettings(process.env));
  const needed = [...OF_REQUESTS, ...further];
  return operatorWith(Object.fromEntries(needed.map((name) => [name, process.env[name]])));
}

/** @throws ExitError if the command is invalid; SettingsError if a setting is missing */
async function rowOfCommand(type: string, data: string, operator: string | undefined): Promise<Row> {
  if (!isCommandType(type)) throw usageError(unknownType(type));
  const json: unknown = JSON.parse(await readJson('--data', data));
  const faults = commandFaults(type, json);
  if (faults.length > 0) throw usageError(`--data: ${faults.join('; ')}`);
  const signer = readSigner(operator, OF_COMMANDS);
  const given = validateCommand(type, json);
  const { REPORTS_PER_PAGE } = readSomeSettings(['REPORTS_PER_PAGE'], process.env);
  const { page = 1, perPage = REPORTS_PER_PAGE } = given as { page?: number; perPage?: number };
  const request = requestOf(type, given, signer, { page, perPage });
  const { method, path, body, repeatAfterUnknown, parameters } = request;
  const isDerived = repeatAfterUnknown === 'once' && signer.settings.sessionId === 'derive';
  const sent = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return {
    ...rowOf(`${method} ${path}`, Object.fromEntries(sent), signer),
    rawBody: body?.text,
    notes: isDerived ? [DERIVED] : [],
  };
}

/** @throws ExitError if its address or its body cannot be read */
export function rowOfRequest(request: HttpRequest, signer: Signer): Row {
  const { method, url, headers, body } = request;
  const address = URL.parse(/^https?:\/\//i.test(url) ? url : `http://localhost/${url.replace(/^\//, '')}`);
  if (!address) throw usageError('the address of the request cannot be read');
  const query = Object.fromEntries(address.searchParams);
  const content = contentOf(body, headers.get('content-type'));
  const [, encodedId] = SESSION_PATH.exec(address.pathname) ?? [];
  const userId = encodedId && unescape(encodedId);
  const parameters = { ...query, ...(userId !== undefined && { userId }), ...content };
  return {
    ...rowOf(`${method} ${address.pathname}`, parameters, signer),
    expectedSign: headers.get('sign'),
    rawBody: body,
    notes: notesOf(request, userId !== undefined && content['userId'] !== userId),
  };
}

function rowOf(name: string, parameters: SignedParameters, { secretKey: secret, settings }: Signer) {
  return { given: { name, parameters }, name, parameters, secret, settings };
}

function contentOf(body = '', contentType = ''): SignedParameters {
  const isForm = /^\s*application\/x-www-form-urlencoded/i.test(contentType);
  if (isForm || !isJsonLike(body)) return Object.fromEntries(new URLSearchParams(body));
  return parseJson(body, 'the body of the request') as SignedParameters;
}

/** Finds faults for which the platform rejects a request whatever its signature is. */
function notesOf({ headers, body = '' }: HttpRequest, isOtherPlayer: boolean): string[] {
  const isOtherType = !headers.get('content-type')?.startsWith('application/vnd.api+json');
  return [
    !headers.has('sign') && 'it has no header sign',
    isJsonLike(body) && isOtherType && 'its Content-Type is not application/vnd.api+json',
    isOtherPlayer && 'its form does not hold the userId of its path, which the platform wants in both',
  ].filter((note) => note !== false);
}

const isJsonLike = (body: string): boolean => /^\s*[{[]/.test(body);
