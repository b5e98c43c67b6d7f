import { distance } from 'fastest-levenshtein';

import type { OperatorCredentials } from '#platform';

import { textsIn } from './operators.ts';
import { OTEL_SETTINGS } from './otel.ts';
import type { Definition } from './readers.ts';
import {
  type ReadText,
  readTextFile,
  type SettingName,
  SETTINGS,
  type Settings,
  VariableReader,
} from './settings.ts';

const NAMES = Object.keys(SETTINGS) as SettingName[];
const KNOWN: ReadonlySet<string> = new Set([
  ...NAMES,
  ...NAMES.filter((name) => 'isSecret' in SETTINGS[name]).map((name) => `${name}_FILE`),
]);
/**
 * First words that other programs' variables also have: such a variable must resemble a setting in its other
 * words too.
 */
const COMMON_WORDS: ReadonlySet<string> = new Set(['HTTP', 'LOG', 'MAX', 'OTEL', 'REDIS', 'SESSION']);
const CLOSE_BY = 2;
/** A shorter word does not count as the beginning of another one. */
const SHORTEST_BEGINNING = 3;
/** Variables of every shell that resemble `LANES`, and variables that OpenTelemetry reads itself. */
const FOREIGN = /^(LANG|LINES|OTEL_(?!BSP|SDK|SERVICE|TRACES).*)$/;
/** The path that the worker appends to `{api_url}`, which must not contain it. */
const OPEN_GAME_PATH = /\/apiweb(\/v3(\/open-game)?)?$/;

const WHITE_SPACE_AT_EDGE = /^[\s\u200B]|[\s\u200B]$/u;

/**
 * Yields a warning for each setting that looks wrong but may be intended. No warning contains a value.
 *
 * @param environment searched for unknown variables that resemble a setting
 */
export function* warningsOf(
  settings: Settings,
  operators: readonly OperatorCredentials[],
  environment: NodeJS.ProcessEnv,
  readText: ReadText = readTextFile,
): Generator<string> {
  for (const variable of Object.keys(environment)) {
    if (KNOWN.has(variable) || FOREIGN.test(variable) || environment[variable] === '') continue;
    const meant = nearestTo(variable);
    if (meant) yield `${variable} is not a setting and is ignored; was ${meant} meant?`;
  }
  yield* warningsOfTraces(environment, readText);
  yield* warningsOfWhiteSpace(settings, environment, readText);
  for (const operator of operators) yield* warningsOfOperator(operator, settings);
  if (settings.CALLERS_FILE === undefined && operators.length > 1)
    yield `every caller may use the credentials of all ${operators.length} operators; restrict this with CALLERS_FILE`;
  if (settings.INTERNAL_KEY === undefined && operators.every(({ secretKey }) => secretKey === undefined))
    yield 'without a secret key to derive a key from, data written for other workers is not protected; set INTERNAL_KEY';
}

/**
 * Yields a warning for each OpenTelemetry variable that turned traces off because its value is not supported.
 */
function* warningsOfTraces(environment: NodeJS.ProcessEnv, readText: ReadText): Generator<string> {
  const reader = new VariableReader(environment, readText);
  const isDisabled = reader.read('OTEL_SDK_DISABLED', OTEL_SETTINGS.OTEL_SDK_DISABLED) === 'true';
  if (isDisabled || reader.read('OTEL_TRACES_EXPORTER', OTEL_SETTINGS.OTEL_TRACES_EXPORTER) === 'none')
    return;
  const others = new VariableReader(environment, readText);
  for (const [name, definition] of Object.entries<Definition<unknown>>(OTEL_SETTINGS))
    others.read(name, definition);
  for (const { variable, reason } of others.faults) yield `${variable} ${reason}; traces are off`;
}

/** Warns about leading and trailing white space, because it changes, for example, the signature of a key. */
function* warningsOfWhiteSpace(
  settings: Settings,
  environment: NodeJS.ProcessEnv,
  readText: ReadText,
): Generator<string> {
  const reader = new VariableReader(environment, readText);
  const ofVariables = NAMES.map((name) => [name, reader.textOf(name, SETTINGS[name]) ?? ''] as const);
  for (const [name, text] of [...ofVariables, ...textsIn(settings, readText)])
    if (WHITE_SPACE_AT_EDGE.test(text)) yield `${name} has white space at its beginning or end`;
  const { AMQP_URL, REDIS_URL = [], PLATFORM_PROXY_URL = [] } = settings;
  for (const [name, urls] of Object.entries({ AMQP_URL, REDIS_URL, PLATFORM_PROXY_URL })) {
    const credentials = [urls].flat().flatMap((url) => [new URL(url).username, new URL(url).password]);
    if (credentials.some((encoded) => WHITE_SPACE_AT_EDGE.test(decodeURIComponent(encoded))))
      yield `${name} has white space at the beginning or end of its user or password`;
  }
}

/** Yields warnings about the settings that the operator does not inherit from `default`. */
function* warningsOfOperator(
  { name, baseUrl, apiUrl, currencyPrecisions }: OperatorCredentials,
  settings: Settings,
): Generator<string> {
  const isDefault = name === 'default';
  const nameOf = (variable: string, member: string): string =>
    isDefault ? variable : `OPERATORS_FILE: ${member} of "${name}"`;
  if ((isDefault || baseUrl !== settings.PLATFORM_BASE_URL) && URL.parse(baseUrl)?.pathname === '/')
    yield `${nameOf('PLATFORM_BASE_URL', 'baseUrl')} has no path; it usually ends with one, such as /api/web`;
  if ((isDefault || apiUrl !== settings.PLATFORM_API_URL) && OPEN_GAME_PATH.test(apiUrl))
    yield `${nameOf('PLATFORM_API_URL', 'apiUrl')} ends with part of /apiweb/v3/open-game, which the worker appends; remove it`;
  const alike = alikeIn(currencyPrecisions);
  if (alike && (isDefault || currencyPrecisions !== settings.CURRENCY_PRECISIONS)) {
    const names = `${nameOf('CURRENCY_PRECISIONS', 'currencyPrecisions')} names ${alike.join(' and ')}`;
    yield `${names}, which differ only in case; use the platform's spelling`;
  }
}

function alikeIn(precisions: OperatorCredentials['currencyPrecisions']): readonly string[] | undefined {
  const groups = Map.groupBy(precisions?.keys() ?? [], (name) => name.toUpperCase());
  return [...groups.values()].find((names) => names.length > 1);
}

/**
 * Returns the setting most similar to a variable that differs by one or two letters or begins alike. Source:
 * bus contract, section 7.
 */
function nearestTo(variable: string): SettingName | undefined {
  const words = variable.split('_');
  const mostUnlike = COMMON_WORDS.has(words[0] ?? '') ? 1 : Number.POSITIVE_INFINITY;
  // Comparing the letters of all names would take a twentieth of a worker's startup time.
  const mayBeMeant = (name: string): boolean =>
    name.split('_', 1)[0] === words[0] || Math.abs(name.length - variable.length) <= CLOSE_BY;
  const candidates = NAMES.filter(mayBeMeant)
    .map((name) => ({
      name,
      letters: distance(variable, name),
      unlikeness: variable.startsWith(`${name}_`) ? 0 : unlikenessOf(words, name.split('_')),
    }))
    .filter(({ letters, unlikeness }) => letters <= CLOSE_BY || unlikeness <= mostUnlike);
  const byLikeness = candidates.toSorted((a, b) => a.unlikeness - b.unlikeness || a.letters - b.letters);
  return byLikeness[0]?.name;
}

/** Returns the distance between the words of a variable and of a name; NaN if their first words differ. */
function unlikenessOf([first, ...others]: readonly string[], [ownFirst, ...own]: readonly string[]): number {
  if (first !== ownFirst || others.length === 0 || own.length === 0) return Number.NaN;
  const distances = others.map((word) => Math.min(...own.map((ownWord) => distanceOf(word, ownWord))));
  return distances.reduce((sum, each) => sum + each, 0);
}

/**
 * Returns the distance of two words; words that are not similar have the maximum, the length of the first.
 */
function distanceOf(one: string, other: string): number {
  const isBeginning =
    Math.min(one.length, other.length) >= SHORTEST_BEGINNING &&
    (one.startsWith(other) || other.startsWith(one));
  if (isBeginning) return 0;
  const letters = distance(one, other);
  return letters <= CLOSE_BY ? letters : one.length;
}
