import type { CallerPolicy } from '#messaging';
import { type CallerRules, readCallers, type Settings } from '#settings';
import type { Logger } from '#telemetry';

import { ReloadedFiles } from './settings/reloaded-files.ts';

/** All that have no rules of their own. */
const OTHERS = '*';

/**
 * Who may send what, by `CALLERS_FILE`, which is read again when it changes; without it everything is allowed.
 *
 * @throws SettingsError if there is a file that cannot be used
 */
export function callersOf(
  { CALLERS_FILE: path }: Pick<Settings, 'CALLERS_FILE'>,
  logger: Logger,
): CallerPolicy {
  if (path === undefined) return { mayRun: () => true, mayReplyTo: () => true };
  const file = new ReloadedFiles('CALLERS_FILE', (readText) => readCallers(path, readText), logger);
  /** The name of a broker user may be `*`, too; it is nobody's name for all others. */
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

/** Without rules nothing is allowed, and everything of which they say nothing. */
function allows(rules: CallerRules | undefined, isNamed: boolean | undefined): boolean {
  return rules !== undefined && (isNamed ?? true);
}
