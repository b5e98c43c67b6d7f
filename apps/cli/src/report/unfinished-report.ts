import { existsSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';

import type { ReportPage } from '#caller';
import { exactJson } from '#signing';

import { EXIT, ExitError, usageError } from '../exit.ts';
import { NOTHING_READ, type Reading, withPage } from './reading.ts';

/** A process that is killed loses what it has read since. */
const CHECKPOINT_MS = 1_000;
const VERSION = 2;

/** What makes two readings the same: the report, its data, the operator and the bus. */
type ReportIdentity = Readonly<Record<string, unknown>>;

interface UnfinishedOptions {
  /** The name under which the report appears once it is whole. */
  readonly out: string;
  readonly identity: ReportIdentity;
  /** Whether to continue after what an earlier run has left. */
  readonly resumes: boolean;
  /** Whether what exists is replaced: the file, and without `resumes` also what an earlier run has left. */
  readonly mayReplace: boolean;
}

/** How far the records go, as the file beside them says. */
interface State {
  readonly version: number;
  readonly identity: ReportIdentity;
  readonly reading: Reading;
  /** Length of the records, in bytes. */
  readonly bytes: number;
  /** The process that reads; absent once it has ended. */
  readonly owner?: { readonly pid: number; readonly host: string } | undefined;
}

/**
 * A report that is being read: its records, one a line, in `<out>.part`, and beside it `<out>.part.json`, which says how far
 * they go, at most a second behind. Both are there until the report is whole, unless nothing was read.
 */
export class UnfinishedReport implements AsyncDisposable {
  readonly path: string;
  readonly #options: UnfinishedOptions;
  readonly #file: FileHandle;
  #reading: Reading;
  #bytes: number;
  #checkedAtMs = 0;
  #isSettled = false;

  private constructor(options: UnfinishedOptions, file: FileHandle, left?: State) {
    this.path = `${options.out}.part`;
    this.#options = options;
    this.#file = file;
    this.#reading = left?.reading ?? NOTHING_READ;
    this.#bytes = left?.bytes ?? 0;
  }

  /**
   * Begins, or continues.
   *
   * @throws ExitError if the file exists, if an earlier run has left something and nothing says what to do with it, or if it is
   *   of another report
   */
  static async open(options: UnfinishedOptions): Promise<UnfinishedReport> {
    const { out, identity, resumes, mayReplace } = options;
    refuseExisting(options);
    const part = `${out}.part`;
    let left = await readState(`${part}.json`);
    const flags = left || mayReplace ? 'a+' : 'ax+';
    if (left && resumes) refuseOther(left.identity, identity, part);
    else if (left && left.reading.pages > 0 && !mayReplace) {
      const { pages, records } = left.reading;
      throw usageError(
        `${part} holds ${records} records of ${pages} pages of a report that was interrupted: --resume continues after them, --force begins again`,
      );
    } else left = undefined;
    const file = await open(part, flags).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      throw code === 'EEXIST' ? existing(part) : usageError(`${part} cannot be written (${code})`);
    });
    // Without the records that the state counts there is nothing to continue.
    if (left && (await file.stat()).size < left.bytes) left = undefined;
    await file.truncate(left?.bytes ?? 0);
    const unfinished = new UnfinishedReport(options, file, left);
    await unfinished.#checkpoint(true);
    return unfinished;
  }

  get reading(): Reading {
    return this.#reading;
  }

  /** @throws ExitError if it cannot be written */
  async add(page: ReportPage<object>): Promise<void> {
    const lines = Buffer.from(page.records.map((record) => `${exactJson(record)}\n`).join(''));
    await writing(this.path, () => this.#file.appendFile(lines));
    this.#bytes += lines.length;
    this.#reading = withPage(this.#reading, page);
    if (performance.now() - this.#checkedAtMs >= CHECKPOINT_MS) await this.#checkpoint(true);
  }

  /** Each record as JSON. */
  async *lines(): AsyncGenerator<string> {
    yield* this.#file.readLines({ start: 0, autoClose: false });
  }

  /** Gives a file, or else the records themselves, the final name. @throws ExitError if that name is taken by now */
  async finish(converted = this.path): Promise<void> {
    refuseExisting(this.#options);
    await writing(this.#options.out, async () => {
      await this.#file.datasync();
      await rename(converted, this.#options.out);
    });
    await this.discard();
  }

  /** Removes what was read. */
  async discard(): Promise<void> {
    this.#isSettled = true;
    for (const path of [this.path, `${this.path}.json.tmp`, `${this.path}.json`])
      await rm(path, { force: true });
  }

  /** Leaves what was read to a later run. @returns what to tell the user; undefined if nothing was read */
  async keep(): Promise<string | undefined> {
    if (this.#isSettled) return undefined;
    const { pages, records } = this.#reading;
    if (pages === 0) {
      await this.discard();
      return undefined;
    }
    this.#isSettled = true;
    // If the disk is full, the state is as old as the last time that it was not.
    await this.#checkpoint(false).catch(() => undefined);
    return `${records} records of ${pages} pages are kept in ${this.path}; the same command with --resume continues after them`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.keep();
    await this.#file.close();
  }

  async #checkpoint(isRunning: boolean): Promise<void> {
    this.#checkedAtMs = performance.now();
    const state: State = {
      version: VERSION,
      identity: this.#options.identity,
      reading: this.#reading,
      bytes: this.#bytes,
      owner: isRunning ? { pid: process.pid, host: hostname() } : undefined,
    };
    const path = `${this.path}.json`;
    await writing(path, async () => {
      await this.#file.datasync();
      await writeFile(`${path}.tmp`, JSON.stringify(state), { flush: true });
      await rename(`${path}.tmp`, path);
    });
  }
}

/** Does what writes a file. @throws ExitError if the disk is full, or refuses it otherwise; else as the work does */
export async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new ExitError(EXIT.failed, `${path} cannot be written (${code})`);
  }
}

/** @throws ExitError if a process writes it now, or it is not what this program writes */
async function readState(path: string): Promise<State | undefined> {
  let state: Partial<State> | null | undefined;
  try {
    state = JSON.parse(await readFile(path, 'utf8')) as typeof state;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code !== undefined) throw usageError(`${path} cannot be read (${code})`);
  }
  if (state?.version !== VERSION) {
    throw usageError(`${path} is not the state of a report that this version reads; remove it`);
  }
  const { owner } = state;
  if (owner && isAnotherAndRuns(owner)) {
    throw usageError(`process ${owner.pid} reads this report into the same file`);
  }
  return state as State;
}

/** On another machine it cannot be asked. In a container each process may have the same number. */
function isAnotherAndRuns({ pid, host }: NonNullable<State['owner']>): boolean {
  if (host !== hostname() || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function existing(path: string): ExitError {
  return usageError(`${path} exists; --force replaces it`);
}

function refuseExisting({ out, mayReplace }: UnfinishedOptions): void {
  if (!mayReplace && existsSync(out)) throw existing(out);
}

/** Records of two reports must never come into one file. */
function refuseOther(left: ReportIdentity, asked: ReportIdentity, part: string): void {
  const names = [...new Set([...Object.keys(left), ...Object.keys(asked)])];
  const differing = names.filter((name) => left[name] !== asked[name]);
  if (differing.length === 0) return;
  throw usageError(
    `${part} was begun with another ${differing.join(', ')}: --resume needs the same, --force without it begins again`,
  );
}
