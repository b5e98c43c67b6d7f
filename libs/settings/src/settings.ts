import { readFileSync } from 'node:fs';

import { LANES, LONGEST_DEADLINE_MS } from '#contracts';

import { OTEL_SETTINGS } from './otel.ts';
import {
  amqpUrl,
  countryMember,
  type Definition,
  extraMembers,
  headerValue,
  hostName,
  httpRoot,
  integer,
  key,
  list,
  namePrefix,
  ofOperator,
  oneOf,
  optional,
  precisions,
  proxyUrl,
  redisUrl,
  required,
  rising,
  secret,
  setting,
  text,
  urlScheme,
  type ValuesOf,
} from './readers.ts';
import { type SettingFault, SettingsError } from './settings-error.ts';

/** The version in package.json. */
export const VERSION = '0.1.0';
const DAY_MS = 24 * 60 * 60 * 1000;
const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
const JSON_STRINGS = ['containers', 'all', 'none'] as const;

const durationMs = integer(1, DAY_MS);

/**
 * All variables of the worker and the command line, with defaults and readers. Source: bus contract, sections
 * 6 and 7.
 */
export const SETTINGS = {
  AMQP_URL: secret(setting(list(amqpUrl), 'amqp://guest:guest@127.0.0.1:5672')),
  AMQP_PREFIX: setting(namePrefix, 'poker'),
  LANES: setting(list(oneOf(LANES)), 'interactive,reports'),
  INTERACTIVE_PREFETCH: setting(integer(1, 65_535), '2048'),
  REPORTS_PREFETCH: setting(integer(1, 65_535), '4'),
  PLATFORM_BASE_URL: required(httpRoot),
  PLATFORM_API_URL: required(httpRoot),
  PLATFORM_CLIENT_ID: required(text),
  PLATFORM_SECRET_KEY: secret(optional(text)),
  OPERATORS_FILE: optional(text),
  CALLERS_FILE: optional(text),
  INTERNAL_KEY: secret(optional(key)),
  CURRENCY_PRECISIONS: optional(precisions),
  PLATFORM_URL_HOSTS: optional(list(hostName)),
  ALLOW_CLEARTEXT: setting(oneOf(['false', 'true']), 'false'),
  AMQP_TLS_CA: optional(text),
  AMQP_TLS_CERT: optional(text),
  AMQP_TLS_KEY: optional(text),
  PLATFORM_TLS_CA: optional(text),
  PLATFORM_TLS_CERT: optional(text),
  PLATFORM_TLS_KEY: optional(text),
  REDIS_TLS_CA: optional(text),
  REDIS_TLS_CERT: optional(text),
  REDIS_TLS_KEY: optional(text),
  PLATFORM_PROXY_URL: secret(optional(proxyUrl)),
  HTTP_HOST: setting(text, '127.0.0.1'),
  HTTP_PORT: setting(integer(0, 65_535), '3000'),
  HTTP_HOSTS: optional(list(hostName)),
  REDIS_URL: secret(optional(redisUrl)),
  SHUTDOWN_GRACE_MS: setting(integer(0, DAY_MS), '25000'),
  IDEMPOTENCY_TTL_MS: setting(durationMs, '60000'),
  MAX_COMMAND_BYTES: setting(integer(1, 128 * 1024 * 1024), '65536'),
  DELIVERY_LIMIT: setting(integer(1, 1_000), '5'),
  INTERACTIVE_DEADLINE_MS: setting(integer(1, LONGEST_DEADLINE_MS), '15000'),
  REPORTS_DEADLINE_MS: setting(integer(1, LONGEST_DEADLINE_MS), '600000'),
  PLATFORM_ATTEMPT_TIMEOUT_MS: setting(durationMs, '5000'),
  PLATFORM_MAX_ATTEMPTS: setting(integer(1, 100), '3'),
  PLATFORM_CONNECTIONS: setting(integer(1, 65_535), '256'),
  PLATFORM_QUEUE: setting(integer(0, 1_000_000), '2048'),
  CIRCUIT_FAILURE_RATE: setting(integer(1, 100), '50'),
  CIRCUIT_MINIMUM_CALLS: setting(integer(1, 1_000_000), '20'),
  CIRCUIT_WINDOW_MS: setting(durationMs, '15000'),
  CIRCUIT_OPEN_MS: setting(durationMs, '5000'),
  REPORTS_RETRY_DELAYS_MS: setting(rising(durationMs), '5000,30000,120000'),
  REPORTS_PER_PAGE: setting(integer(1, 1_000), '500'),
  REPORTS_STALL_MS: setting(durationMs, '30000'),
  EVENTS: setting(oneOf(['errors', 'all', 'none']), 'errors'),
  LOG_SUBJECT_KEY: secret(optional(key)),
  LOG_LEVEL: setting(oneOf(LOG_LEVELS), 'info'),
  SIGNATURE_SCALARS: ofOperator('scalars', setting(oneOf(['php', 'json']), 'php')),
  SIGNATURE_OPEN_GAME_CLIENT: ofOperator('openGameClient', setting(oneOf(['keep', 'drop']), 'keep')),
  SIGNATURE_JSON_STRINGS: ofOperator('jsonStrings', setting(oneOf(JSON_STRINGS), 'containers')),
  SIGNATURE_JSON_PLACEMENT: ofOperator('jsonPlacement', setting(oneOf(['in-place', 'merge']), 'in-place')),
  SIGNATURE_EXCLUDE: ofOperator('exclude', setting(oneOf(['top', 'deep']), 'top')),
  SIGNATURE_SCHEME_V3: ofOperator('schemeV3', setting(oneOf(['parameters', 'raw-body']), 'parameters')),
  SIGNATURE_REPEATED_NAMES: ofOperator('repeatedNames', setting(oneOf(['all', 'last']), 'all')),
  RAKE_PARAMETERS_IN: ofOperator('rakeParametersIn', setting(oneOf(['form', 'query', 'both']), 'form')),
  PLATFORM_EXTRA_MEMBERS: ofOperator('extraMembers', optional(extraMembers)),
  PLATFORM_CLIENT_KEY: ofOperator('clientKey', optional(text)),
  PLATFORM_USER_AGENT: ofOperator('userAgent', setting(headerValue, `poker-bridge/${VERSION}`)),
  PLAYER_COUNTRY_MEMBER: ofOperator('playerCountryMember', setting(countryMember, 'country')),
  PLATFORM_URL_SCHEMES: ofOperator('urlSchemes', setting(list(urlScheme), 'https')),
  SESSION_ID: ofOperator('sessionId', setting(oneOf(['derive', 'omit']), 'derive')),
  SESSION_USER_ID: ofOperator('sessionUserId', setting(oneOf(['same', 'any']), 'same')),
  REPORT_RECORDS: ofOperator('reportRecords', setting(oneOf(['strict', 'lenient']), 'strict')),
  ...OTEL_SETTINGS,
} as const satisfies Record<string, Definition<unknown>>;

export type SettingName = keyof typeof SETTINGS;

/** The settings of a worker, frozen, under the names of their variables. */
export type Settings = ValuesOf<typeof SETTINGS>;

/** Reads a file as text; throws the errors of `node:fs`. */
export type ReadText = (path: string) => string;

export const readTextFile: ReadText = (path) => readFileSync(path, 'utf8');

/**
 * Reads the settings from the environment. An empty variable counts as unset.
 *
 * @throws SettingsError with every missing or invalid variable
 */
export function readSettings(environment: NodeJS.ProcessEnv, readText = readTextFile): Settings {
  return readSomeSettings(Object.keys(SETTINGS) as SettingName[], environment, readText);
}

/**
 * Reads only the settings that a program uses; the others may be missing.
 *
 * @throws SettingsError like `readSettings`
 */
export function readSomeSettings<N extends SettingName>(
  names: readonly N[],
  environment: NodeJS.ProcessEnv,
  readText = readTextFile,
): Pick<Settings, N> {
  const reader = new VariableReader(environment, readText);
  const values = names.map((name) => [name, reader.read<unknown>(name, SETTINGS[name])]);
  // An unsupported OpenTelemetry variable only turns traces off, because they are set for whole clusters (bus
  // contract, section 7).
  const { length } = reader.faults;
  const faults = reader.faults.filter(({ variable }) => !variable.startsWith('OTEL_'));
  if (faults.length > 0) throw new SettingsError(faults);
  if (faults.length < length) values.push(['OTEL_TRACES_EXPORTER', 'none']);
  return Object.freeze(Object.fromEntries(values)) as Pick<Settings, N>;
}

/** Reads variables one by one and collects their faults, so that one start reports all of them. */
export class VariableReader {
  readonly faults: SettingFault[] = [];

  constructor(
    private readonly environment: NodeJS.ProcessEnv,
    private readonly readText = readTextFile,
  ) {}

  /**
   * Returns the value of a variable. If it is invalid, records a fault and returns the default, if there is
   * one.
   */
  read<T>(name: string, definition: Definition<T>): T {
    const { isRequired, default: fallback, read } = definition;
    try {
      const given = this.textOf(name, definition) ?? fallback;
      if (given !== undefined) return read(given);
      if (isRequired) throw new Error('is required');
    } catch (error) {
      const isOfFile = definition.isSecret && !this.#textIn(name) && this.#textIn(`${name}_FILE`);
      this.fault(isOfFile ? `${name}_FILE` : name, (error as Error).message);
    }
    return fallback === undefined ? (undefined as T) : read(fallback);
  }

  /**
   * Returns the text of a variable, or of its file; `undefined` if it is unset.
   *
   * @throws Error whose message is the reason
   */
  textOf(name: string, { isSecret }: Definition<unknown>): string | undefined {
    const value = this.#textIn(name);
    const path = isSecret ? this.#textIn(`${name}_FILE`) : undefined;
    if (value !== undefined && path !== undefined)
      throw new Error(`is set twice, also as ${name}_FILE; remove one of them`);
    return path === undefined ? value : readSecret(path, this.readText);
  }

  #textIn(name: string): string | undefined {
    return stripEdges(this.environment[name] ?? '') || undefined;
  }

  fault(variable: string, reason: string): void {
    this.faults.push({ variable, reason });
  }

  check(): void {
    if (this.faults.length > 0) throw new SettingsError(this.faults);
  }
}

/** Reads the secret in a file. */
export function readSecret(path: string, readText: ReadText): string {
  const value = stripEdges(readFile(path, readText));
  if (value === '') throw new Error('the file is empty');
  return value;
}

/** Removes a trailing line break and a byte order mark, which editors and `echo` add. */
export function stripEdges(value: string): string {
  return value.replace(/^\uFEFF/, '').replace(/(\r\n|\n|\r|\uFEFF)$/, '');
}

/** Reads the file at the path in a setting. @throws Error whose message is the reason */
export function readFile(path: string, readText: ReadText): string {
  try {
    return readText(path);
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new Error(`the file cannot be read (${code})`, { cause });
  }
}
