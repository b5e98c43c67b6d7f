import { unwatchFile, watchFile } from 'node:fs';

import { type ReadText, readTextFile, SettingsError } from '#settings';
import type { Logger } from '#telemetry';

/** How soon a change is seen; files are looked at rather than watched, since a mounted file is replaced as a link. */
const LOOK_MS = 1_000;
/** Until what is being written is complete. */
const SETTLE_MS = 100;

/** Each file that was read; `undefined` if it could not be. */
type Texts = ReadonlyMap<string, string | undefined>;

/** What was read, or why it could not be. */
type Reading<T> = { readonly texts: Texts } & ({ readonly value: T } | { readonly error: unknown });

/**
 * What one or more files of the settings hold, read again when one of them changes. A new version is used if all of the
 * files can be; if not, one line of the log says why, and what was read before stays.
 */
export class ReloadedFiles<T> {
  readonly #variables: string;
  readonly #read: (readText: ReadText) => T;
  readonly #logger: Logger;
  readonly #followers: ((value: T) => void)[] = [];
  #value: T;
  /** What was looked at last; it is at fault if it is not what `#value` was read from. */
  #texts: Texts;
  #paths: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param variables the settings that name the files, for the log
   * @param read reads all files by the function that it is given, which may be none
   * @throws SettingsError if they cannot be used at start
   */
  constructor(variables: string, read: (readText: ReadText) => T, logger: Logger) {
    this.#variables = variables;
    this.#read = read;
    this.#logger = logger;
    const reading = this.#readAll();
    if ('error' in reading) throw reading.error;
    this.#value = reading.value;
    this.#texts = reading.texts;
    this.#watch(reading.texts.keys());
  }

  get value(): T {
    return this.#value;
  }

  /** Has a function called now, and with each new value. */
  follow(follower: (value: T) => void): void {
    this.#followers.push(follower);
    follower(this.#value);
  }

  #readAll(): Reading<T> {
    const texts = new Map<string, string | undefined>();
    const readText = (path: string): string => {
      texts.set(path, undefined);
      const text = readTextFile(path);
      texts.set(path, text);
      return text;
    };
    try {
      return { texts, value: this.#read(readText) };
    } catch (error) {
      return { texts, error };
    }
  }

  #look(): void {
    const reading = this.#readAll();
    if (!isCurrent(reading.texts)) return this.#lookIn(SETTLE_MS);
    this.#watch([...this.#texts.keys(), ...reading.texts.keys()]);
    if (areEqual(reading.texts, this.#texts)) return;
    this.#texts = reading.texts;
    if ('error' in reading) return this.#refuse(reading.error);
    this.#value = reading.value;
    this.#logger.info({ settings: this.#variables }, 'files of settings were read again');
    for (const follower of this.#followers) follower(reading.value);
  }

  #refuse(error: unknown): void {
    const facts = error instanceof SettingsError ? { faults: error.faults } : { err: error };
    this.#logger.error(
      { settings: this.#variables, ...facts },
      'changed files of settings cannot be used; what was read before stays',
    );
  }

  #watch(paths: Iterable<string>): void {
    const wanted = new Set(paths);
    const further = [...wanted].filter((path) => !this.#paths.has(path));
    for (const path of this.#paths) if (!wanted.has(path)) unwatchFile(path, this.#onChange);
    for (const path of further) watchFile(path, { interval: LOOK_MS, persistent: false }, this.#onChange);
    this.#paths = wanted;
    // What changes before Node.js has looked at a file for the first time is no change to it.
    if (further.length > 0) this.#lookIn(LOOK_MS);
  }

  readonly #onChange = (): void => this.#lookIn(SETTLE_MS);

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), ms).unref();
  }
}

/** Whether no file has changed since it was read: a mix of old and new files is a state that nobody wrote. */
function isCurrent(texts: Texts): boolean {
  return [...texts].every(([path, text]) => text === textOf(path));
}

function textOf(path: string): string | undefined {
  try {
    return readTextFile(path);
  } catch {
    return undefined;
  }
}

function areEqual(some: Texts, others: Texts): boolean {
  return (
    some.size === others.size &&
    [...some].every(([path, text]) => others.has(path) && others.get(path) === text)
  );
}
