import { watchFile } from 'node:fs';

import { CallerPolicy } from '#messaging';
import { type CallerRules, readCallers, type Settings, SettingsError } from '#settings';
import type { Logger } from '#telemetry';

/** How soon a new version of the file is seen; it is looked at rather than watched, since a mounted file is replaced as a link. */
const LOOK_MS = 1_000;
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

/** Who may send what by `CALLERS_FILE`, which is read again when it changes; the rules stay if a new version is at fault. */
class CallersFile extends CallerPolicy {
  readonly #path: string;
  readonly #logger: Logger;
  #rules: ReadonlyMap<string, CallerRules>;

  /** @throws SettingsError if the file cannot be used at start */
  constructor(path: string, logger: Logger) {
    super();
    this.#path = path;
    this.#logger = logger;
    this.#rules = readCallers(path);
    watchFile(path, { interval: LOOK_MS, persistent: false }, () => this.#reload());
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
    return (caller === OTHERS ? undefined : this.#rules.get(caller)) ?? this.#rules.get(OTHERS);
  }

  #reload(): void {
    try {
      this.#rules = readCallers(this.#path);
      this.#logger.info({ callers: this.#rules.size }, 'CALLERS_FILE was read again');
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      this.#logger.error({ faults: error.faults }, 'CALLERS_FILE cannot be used; the rules before it stay');
    }
  }
}

function covers(allowed: string, queue: string): boolean {
  return allowed.endsWith('*') ? queue.startsWith(allowed.slice(0, -1)) : queue === allowed;
}
