import { isDeepStrictEqual } from 'node:util';

import { type ReadText, readTextFile, SettingsError } from '#settings';
import type { Logger } from '#telemetry';

/**
 * Polling interval. Files are polled rather than watched because a mounted file is replaced through a
 * symbolic link.
 */
const LOOK_MS = 1_000;
/** Delay after a change, so that a write in progress can complete. */
const SETTLE_MS = 100;

/** The text of each file; `undefined` if it could not be read. */
type Texts = Map<string, string | undefined>;

/**
 * The content of one or more settings files, reloaded when one of them changes. A new version takes effect
 * only if all files are valid. Otherwise one log line gives the reason, and the previous values stay in use.
 */
export class ReloadedFiles<T> {
  readonly #followers: ((value: T) => void)[] = [];
  #value: T;
  /** The latest texts; `#value` is older if the latest texts are invalid. */
  #texts: Texts = new Map();

  /**
   * @param variables the settings that name the files, for the log
   * @param read parses the settings, reading each file (if any) with the given function
   * @throws SettingsError if the files are invalid at startup
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
    // The files changed during the read and may be a mix of old and new; the next poll reads them again.
    if (!isCurrent(texts) || isDeepStrictEqual(texts, this.#texts)) return;
    this.#texts = texts;
    if ('fault' in read) {
      return this.logger.error(
        { event: 'settings.invalid', settings, ...read.fault },
        'settings files are invalid; keeping the previous values',
      );
    }
    this.#value = read.value;
    this.logger.info({ event: 'settings.reloaded', settings }, 'settings files reloaded');
    for (const follower of this.#followers) follower(read.value);
  }
}

/** True if no file has changed since it was read. */
function isCurrent(texts: Texts): boolean {
  return texts.entries().every(([path, text]) => {
    try {
      return text === readTextFile(path);
    } catch {
      return text === undefined;
    }
  });
}
