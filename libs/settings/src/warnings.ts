import type { OperatorCredentials } from '#platform';

import { nearMissesIn } from './near-misses.ts';
import type { Settings } from './settings.ts';

/** Appended to `{api_url}`, and so not a part of it. */
const OPEN_GAME_PATH = /\/apiweb(\/v3(\/open-game)?)?$/;

/**
 * What looks wrong and may be meant so, a sentence each, without a value.
 *
 * @param environment for variables that are no settings and look like one
 */
export function warningsOf(
  settings: Settings,
  operators: readonly OperatorCredentials[],
  environment: NodeJS.ProcessEnv,
): readonly string[] {
  const warnings = nearMissesIn(environment).map(
    ({ variable, meant }) => `${variable} is not a setting and is ignored; was ${meant} meant?`,
  );
  for (const operator of operators) warnings.push(...warningsOfOperator(operator, settings));
  if (settings.CALLERS_FILE === undefined && operators.length > 1) {
    warnings.push(
      `every caller may use the credentials of all ${operators.length} operators; CALLERS_FILE says who may use which`,
    );
  }
  if (settings.INTERNAL_KEY === undefined && operators.every(({ secretKey }) => secretKey === undefined)) {
    warnings.push(
      'there is no secret key to derive a key from: what workers write for each other is not protected; set INTERNAL_KEY',
    );
  }
  return warnings;
}

/** What it has of its own, and not from `default`. */
function warningsOfOperator(
  { name, baseUrl, apiUrl, currencyPrecisions }: OperatorCredentials,
  settings: Settings,
): readonly string[] {
  const warnings: string[] = [];
  const isDefault = name === 'default';
  const nameOf = (variable: string, member: string): string =>
    isDefault ? variable : `OPERATORS_FILE: ${member} of "${name}"`;
  if ((isDefault || baseUrl !== settings.PLATFORM_BASE_URL) && URL.parse(baseUrl)?.pathname === '/') {
    warnings.push(
      `${nameOf('PLATFORM_BASE_URL', 'baseUrl')} has no path; it mostly ends with one, such as /api/web`,
    );
  }
  if ((isDefault || apiUrl !== settings.PLATFORM_API_URL) && OPEN_GAME_PATH.test(apiUrl)) {
    warnings.push(
      `${nameOf('PLATFORM_API_URL', 'apiUrl')} ends with a part of /apiweb/v3/open-game, which is appended to it`,
    );
  }
  const alike = alikeIn(currencyPrecisions);
  if (alike && (isDefault || currencyPrecisions !== settings.CURRENCY_PRECISIONS)) {
    const names = `${nameOf('CURRENCY_PRECISIONS', 'currencyPrecisions')} names ${alike.join(' and ')}`;
    warnings.push(`${names}, which differ in case alone; a currency is looked up as the platform writes it`);
  }
  return warnings;
}

/** Two names of currencies that differ in case alone. */
function alikeIn(precisions: OperatorCredentials['currencyPrecisions']): readonly string[] | undefined {
  const groups = Map.groupBy(precisions?.keys() ?? [], (name) => name.toUpperCase());
  return [...groups.values()].find((names) => names.length > 1);
}
