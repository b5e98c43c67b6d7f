import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

import { usageError } from '../exit.ts';

const FORMATS = ['csv', 'ndjson', 'json'] as const;
export type ReportFormat = (typeof FORMATS)[number];

const WRITE_CHARACTERS = 64 * 1024;

/** The format that the name of a file asks for. @throws ExitError if there is no such format */
export function formatOf(path: string): ReportFormat {
  const format = FORMATS.find((each) => extname(path).toLowerCase() === `.${each}`);
  if (format) return format;
  throw usageError(`--out ends in ${FORMATS.map((each) => `.${each}`).join(', ')}; ${path} does not`);
}

/**
 * A file that appears under its name only when it is whole. Until then it is beside it, under a name that begins with a
 * dot and ends in `.part`, and is removed if it is not finished.
 */
export class ReportFile implements AsyncDisposable {
  readonly #path: string;
  readonly #part: string;
  readonly #file: FileHandle;
  #pending = '';

  private constructor(path: string, part: string, file: FileHandle) {
    this.#path = path;
    this.#part = part;
    this.#file = file;
  }

  /**
   * @param part tells the parts of one report from each other
   * @throws ExitError if the file exists and may not be replaced, or cannot be written
   */
  static async create(path: string, part: string, mayReplace: boolean): Promise<ReportFile> {
    refuseExisting(path, mayReplace);
    const name = join(dirname(path), `.${basename(path)}.${process.pid}.${part}.part`);
    try {
      return new ReportFile(path, name, await open(name, 'w+'));
    } catch (error) {
      throw usageError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
    }
  }

  async write(text: string): Promise<void> {
    this.#pending += text;
    if (this.#pending.length >= WRITE_CHARACTERS) await this.#flush();
  }

  /** What was written so far, line by line. */
  async *lines(): AsyncGenerator<string> {
    await this.#flush();
    yield* this.#file.readLines({ start: 0, autoClose: false });
  }

  /** Gives the file its name. @throws ExitError if there is one of this name by now, and it may not be replaced */
  async finish(mayReplace: boolean): Promise<void> {
    await this.#flush();
    await this.#file.sync();
    refuseExisting(this.#path, mayReplace);
    await rename(this.#part, this.#path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close().catch(() => undefined);
    await rm(this.#part, { force: true });
  }

  async #flush(): Promise<void> {
    const text = this.#pending;
    this.#pending = '';
    if (text !== '') await this.#file.write(text);
  }
}

function refuseExisting(path: string, mayReplace: boolean): void {
  if (!mayReplace && existsSync(path)) throw usageError(`${path} exists; --force replaces it`);
}
