import type { OperatorCredentials } from '#platform';
import {
  readOperators,
  readSomeSettings,
  type ReadText,
  readTls,
  refuseCleartext,
  type SettingFault,
  type Settings,
  SettingsError,
  type TlsFamily,
} from '#settings';
import type { Logger } from '#telemetry';
import { TlsContext } from '#tls';

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
  const read = (readText: ReadText): readonly OperatorCredentials[] => {
    const current = { ...settings, ...readSomeSettings(['PLATFORM_SECRET_KEY'], environment, readText) };
    const operators = readOperators(current, readText);
    refuseCleartext(current, operators, environment);
    return operators;
  };
  return new ReloadedFiles('OPERATORS_FILE, PLATFORM_SECRET_KEY_FILE', read, logger);
}

export type TlsContexts = Readonly<Record<TlsFamily, TlsContext>>;

/**
 * The certificates that connections trust and present, by the files of the settings, which are read again when they change.
 *
 * @throws SettingsError for every file that cannot be used
 */
export function tlsContextsOf(
  settings: Settings,
  operators: readonly OperatorCredentials[],
  logger: Logger,
): TlsContexts {
  const faults: SettingFault[] = [];
  const contextOf = (family: TlsFamily, addresses: readonly string[]): TlsContext => {
    const context = new TlsContext(family);
    try {
      const files = new ReloadedFiles(
        `${family}_TLS_CA, ${family}_TLS_CERT, ${family}_TLS_KEY`,
        (readText) => readTls(family, { settings, addresses, readText, nowMs: Date.now() }),
        logger,
      );
      files.follow((material) => void (context.material = material));
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      faults.push(...error.faults);
    }
    return context;
  };
  const platforms = operators.flatMap(({ baseUrl, apiUrl }) => [baseUrl, apiUrl]);
  const contexts = {
    AMQP: contextOf('AMQP', settings.AMQP_URL),
    PLATFORM: contextOf('PLATFORM', platforms),
    REDIS: contextOf('REDIS', settings.REDIS_URL === undefined ? [] : [settings.REDIS_URL]),
  };
  if (faults.length > 0) throw new SettingsError(faults);
  return contexts;
}
