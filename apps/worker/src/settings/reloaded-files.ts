import { isDeepStrictEqual } from 'node:util';

import { type ReadText, readTextFile, SettingsError } from '#settings';
import type { Logger } from '#telemetry';

/** How soon a change is seen; files are read rather than watched, since a mounted file is replaced as a link. */
const LOOK_MS = 1_000;
/** Until what is being written is complete. */
const SETTLE_MS = 100;

/** Each file that was read; `undefined` if it could not be. */
type Texts = Map<string, string | undefined>;

/**
 * The content of one or more files of the settings, read again when one of them changes. A new version is used if all of the
 * files can be; if not, one line of the log says why, and what was read before stays.
 */
export class ReloadedFiles<T> {
  readonly #followers: ((value: T) => void)[] = [];
  #value: T;
  /** What was read last; `#value` is older if it was at fault. */
  #texts: Texts = new Map();

  /**
   * @param variables the settings that name the files, for the log
   * @param read reads all files by the function that it is given, which may be none
   * @throws SettingsError if they cannot be used at start
   */
  constructor(
    private readonly variables: string,
    private readonly read: (readText: ReadText) => T,
    private readonly logger: Logger,
  ) {
    this.#value = this.#readInto(this.#texts);
    if (this.#texts.size === 0) return;
    setInterval(() => {
      if (!isCurrent(this.#texts)) setTimeout(() => this.#readAgain(), SETTLE_MS).unref();
    }, LOOK_MS).unref();
  }

  get value(): T {
    return this.#value;
  }

  /** Calls a function now, and with each new value. */
  follow(follower: (value: T) => void): void {
    this.#followers.push(follower);
    follower(this.#value);
  }

  #readInto(texts: Texts): T {
    return this.read((path) => {
      texts.set(path, undefined);
      const text = readTextFile(path);
      texts.set(path, text);
      return text;
    });
  }

  #readAgain(): void {
    const settings = this.variables;
    const texts: Texts = new Map();
    let read: { readonly value: T } | { readonly fault: object };
    try {
      read = { value: this.#readInto(texts) };
    } catch (error) {
      read = { fault: error instanceof SettingsError ? { faults: error.faults } : { err: error } };
    }
    // A mix of old and new files is a state that nobody wrote; the next look finds the rest.
    if (!isCurrent(texts) || isDeepStrictEqual(texts, this.#texts)) return;
    this.#texts = texts;
    if ('fault' in read) {
      const facts = { settings, ...read.fault };
      return this.logger.error(facts, 'changed settings files are invalid; keeping the previous values');
    }
    this.#value = read.value;
    this.logger.info({ settings }, 'settings files reloaded');
    for (const follower of this.#followers) follower(read.value);
  }
}

/** Whether no file has changed since it was read. */
function isCurrent(texts: Texts): boolean {
  return texts.entries().every(([path, text]) => {
    try {
      return text === readTextFile(path);
    } catch {
      return text === undefined;
    }
  });
}
