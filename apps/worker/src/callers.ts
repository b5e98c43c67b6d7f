import { CallerPolicy } from '#messaging';
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
  if (path === undefined) return new Callers({ value: new Map([[OTHERS, {}]]) });
  return new Callers(new ReloadedFiles('CALLERS_FILE', (readText) => readCallers(path, readText), logger));
}

class Callers extends CallerPolicy {
  /** @param rules by the name of a caller, as they are now */
  constructor(private readonly rules: { readonly value: ReadonlyMap<string, CallerRules> }) {
    super();
  }

  mayRun(caller: string, operator: string, type: string): boolean {
    const rules = this.#rulesOf(caller);
    if (!rules) return false;
    return (rules.operators?.has(operator) ?? true) && (rules.commands?.has(type) ?? true);
  }

  mayReplyTo(caller: string, queue: string): boolean {
    const rules = this.#rulesOf(caller);
    if (!rules) return false;
    const covers = (allowed: string): boolean =>
      allowed.endsWith('*') ? queue.startsWith(allowed.slice(0, -1)) : queue === allowed;
    return rules.replyTo?.some(covers) ?? true;
  }

  #rulesOf(caller: string): CallerRules | undefined {
    // The name of a broker user may be *, too; it is nobody's name for all others.
    const rules = this.rules.value;
    return (caller === OTHERS ? undefined : rules.get(caller)) ?? rules.get(OTHERS);
  }
}
