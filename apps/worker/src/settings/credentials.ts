import type { OperatorCredentials } from '#platform';
import { readOperators, readSomeSettings, refuseCleartext, type Settings } from '#settings';
import type { Logger } from '#telemetry';

import { ReloadedFiles } from './reloaded-files.ts';

/**
 * The credentials of every operator, read again when `OPERATORS_FILE` or the file of a secret key changes.
 *
 * @throws SettingsError if they cannot be used at start
 */
export function credentialsOf(
  settings: Settings,
  environment: NodeJS.ProcessEnv,
  logger: Logger,
): ReloadedFiles<readonly OperatorCredentials[]> {
  return new ReloadedFiles<readonly OperatorCredentials[]>(
    'OPERATORS_FILE, PLATFORM_SECRET_KEY_FILE',
    (readText) => {
      const current = { ...settings, ...readSomeSettings(['PLATFORM_SECRET_KEY'], environment, readText) };
      const operators = readOperators(current, readText);
      refuseCleartext(current, operators, environment);
      return operators;
    },
    logger,
  );
}
