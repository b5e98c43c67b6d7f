import type { OperatorCredentials } from '#platform';

import { nearMissesIn } from './near-misses.ts';
import type { Settings } from './settings.ts';

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
  if (URL.parse(settings.PLATFORM_BASE_URL)?.pathname === '/') {
    warnings.push('PLATFORM_BASE_URL has no path; it mostly ends with one, such as /api/web');
  }
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
