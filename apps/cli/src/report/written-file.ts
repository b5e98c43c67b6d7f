import { type FileHandle, open, rm } from 'node:fs/promises';

import { EXIT, ExitError, usageError } from '../exit.ts';

const WRITE_CHARACTERS = 64 * 1024;

/** A file that is written from some place on, and can be read from its beginning. */
export class WrittenFile implements AsyncDisposable {
  readonly path: string;
  readonly #file: FileHandle;
  #pending = '';
  #bytes: number;
  #fault: ExitError | undefined;

  private constructor(path: string, file: FileHandle, bytes: number) {
    this.path = path;
    this.#file = file;
    this.#bytes = bytes;
  }

  /**
   * An empty one.
   *
   * @param mayReplace whether what has this name is replaced
   * @throws ExitError if it exists and may not be replaced, or cannot be written
   */
  static async create(path: string, mayReplace: boolean): Promise<WrittenFile> {
    try {
      return new WrittenFile(path, await open(path, mayReplace ? 'w+' : 'wx+'), 0);
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw usageError(`${path} exists; --force replaces it`);
      throw usageError(`${path} cannot be written (${code})`);
    }
  }

  /**
   * One that exists: what it holds beyond some bytes is cut off.
   *
   * @returns undefined if there is none, or it is shorter
   * @throws ExitError if it cannot be written
   */
  static async reopen(path: string, bytes: number): Promise<WrittenFile | undefined> {
    let file: FileHandle;
    try {
      file = await open(path, 'r+');
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      throw usageError(`${path} cannot be written (${code})`);
    }
    const { size } = await file.stat();
    if (size >= bytes) {
      await file.truncate(bytes);
      return new WrittenFile(path, file, bytes);
    }
    await file.close();
    return undefined;
  }

  /** Why it lacks something that was to be written. */
  get fault(): ExitError | undefined {
    return this.#fault;
  }

  /** @throws ExitError if it cannot be written, like everything here that writes */
  async write(text: string): Promise<void> {
    this.#pending += text;
    if (this.#pending.length >= WRITE_CHARACTERS) await this.#flush();
  }

  async writeBytes(bytes: Uint8Array): Promise<void> {
    await this.#flush();
    await this.#append(bytes);
  }

  /** What was written so far, line by line. */
  async *lines(): AsyncGenerator<string> {
    await this.#flush();
    yield* this.#file.readLines({ start: 0, autoClose: false });
  }

  /** Flushes it to the disk. @returns its length in bytes */
  async sync(): Promise<number> {
    await this.#flush();
    await this.#file.datasync();
    return this.#bytes;
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close().catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const text = this.#pending;
    this.#pending = '';
    await this.#append(Buffer.from(text));
  }

  async #append(bytes: Uint8Array): Promise<void> {
    if (this.#fault) throw this.#fault;
    try {
      for (let at = 0; at < bytes.length;) {
        const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#bytes);
        at += bytesWritten;
        this.#bytes += bytesWritten;
      }
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      this.#fault = new ExitError(EXIT.failed, `${this.path} cannot be written (${code})`);
      throw this.#fault;
    }
  }
}
