import { CallerPolicy } from '#messaging';
import { type CallerRules, readCallers, type Settings } from '#settings';
import type { Logger } from '#telemetry';

import { ReloadedFiles } from './settings/reloaded-files.ts';

/** All that have no rules of their own. */
const OTHERS = '*';

/** Without `CALLERS_FILE` everything is allowed. */
export class AllCallers extends CallerPolicy {
  mayRun(): boolean {
    return true;
  }

  mayReplyTo(): boolean {
    return true;
  }
}

/**
 * Who may send what, by the settings.
 *
 * @throws SettingsError if there is a file that cannot be used
 */
export function callersOf({ CALLERS_FILE }: Pick<Settings, 'CALLERS_FILE'>, logger: Logger): CallerPolicy {
  return CALLERS_FILE === undefined ? new AllCallers() : new CallersFile(CALLERS_FILE, logger);
}

/** Who may send what by `CALLERS_FILE`, which is read again when it changes. */
class CallersFile extends CallerPolicy {
  readonly #rules: ReloadedFiles<ReadonlyMap<string, CallerRules>>;

  /** @throws SettingsError if the file cannot be used at start */
  constructor(path: string, logger: Logger) {
    super();
    this.#rules = new ReloadedFiles('CALLERS_FILE', (readText) => readCallers(path, readText), logger);
  }

  mayRun(caller: string, operator: string, type: string): boolean {
    const rules = this.#rulesOf(caller);
    if (!rules) return false;
    return (rules.operators?.has(operator) ?? true) && (rules.commands?.has(type) ?? true);
  }

  mayReplyTo(caller: string, queue: string): boolean {
    const rules = this.#rulesOf(caller);
    if (!rules) return false;
    return rules.replyTo?.some((allowed) => covers(allowed, queue)) ?? true;
  }

  #rulesOf(caller: string): CallerRules | undefined {
    // The name of a broker user may be *, too; it is nobody's name for all others.
    const rules = this.#rules.value;
    return (caller === OTHERS ? undefined : rules.get(caller)) ?? rules.get(OTHERS);
  }
}

function covers(allowed: string, queue: string): boolean {
  return allowed.endsWith('*') ? queue.startsWith(allowed.slice(0, -1)) : queue === allowed;
}
