import type { CallerPolicy } from '#messaging';
import type { OperatorCredentials } from '#platform';
import {
  type CallerRules,
  readCallers,
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

/** Key of the rules for callers without rules of their own. */
const OTHERS = '*';

/**
 * The credentials of every operator, reloaded when `OPERATORS_FILE` or a secret key file changes.
 *
 * @throws SettingsError
 */
export function credentialsOf(settings: Settings, environment: NodeJS.ProcessEnv, logger: Logger) {
  const read = (readText: ReadText): readonly OperatorCredentials[] => {
    const current = { ...settings, ...readSomeSettings(['PLATFORM_SECRET_KEY'], environment, readText) };
    const operators = readOperators(current, readText);
    refuseCleartext(current, operators, environment);
    return operators;
  };
  return new ReloadedFiles('OPERATORS_FILE, PLATFORM_SECRET_KEY_FILE', read, logger);
}

/**
 * The permissions of callers from `CALLERS_FILE`, reloaded when it changes. Without the file everything is
 * allowed.
 *
 * @throws SettingsError
 */
export function callersOf({ CALLERS_FILE }: Pick<Settings, 'CALLERS_FILE'>, logger: Logger): CallerPolicy {
  if (CALLERS_FILE === undefined) return { mayRun: () => true, mayReplyTo: () => true };
  const read = (readText: ReadText) => readCallers(CALLERS_FILE, readText);
  const file = new ReloadedFiles('CALLERS_FILE', read, logger);
  /** A broker user may itself be named `*`. Such a user gets the rules for all others. */
  const rulesOf = (caller: string): CallerRules | undefined =>
    (caller === OTHERS ? undefined : file.value.get(caller)) ?? file.value.get(OTHERS);
  return {
    mayRun: (caller, operator, type) => {
      const rules = rulesOf(caller);
      return allows(rules, rules?.operators?.has(operator)) && allows(rules, rules?.commands?.has(type));
    },
    mayReplyTo: (caller, queue) => {
      const rules = rulesOf(caller);
      const covers = (name: string): boolean =>
        name.endsWith('*') ? queue.startsWith(name.slice(0, -1)) : queue === name;
      return allows(rules, rules?.replyTo?.some(covers));
    },
  };
}

/** True if the rules allow it. Without rules nothing is allowed; a rule that is not set allows everything. */
function allows(rules: CallerRules | undefined, isNamed: boolean | undefined): boolean {
  return rules !== undefined && (isNamed ?? true);
}

export type TlsContexts = ReturnType<typeof tlsContextsOf>;

/**
 * The certificates that connections trust and present, reloaded when their files change.
 *
 * @throws SettingsError with every fault
 */
export function tlsContextsOf(settings: Settings, operators: readonly OperatorCredentials[], logger: Logger) {
  const faults: SettingFault[] = [];
  const contextOf = (family: TlsFamily, addresses: readonly string[]): TlsContext => {
    try {
      const files = new ReloadedFiles(
        `${family}_TLS_CA, ${family}_TLS_CERT, ${family}_TLS_KEY`,
        (readText) => readTls(family, { settings, addresses, readText, nowMs: Date.now() }),
        logger,
      );
      return new TlsContext(family, () => files.value);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      faults.push(...error.faults);
      return new TlsContext(family);
    }
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
