import { existsSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';

import type { ReportPage } from '#caller';
import { exactJson } from '#signing';

import { usageError } from '../exit.ts';
import { type KeptReading, Reading } from './reading.ts';
import { WrittenFile } from './written-file.ts';

/** A process that is killed loses what it has read since. */
const CHECKPOINT_MS = 1_000;
const VERSION = 2;

/** What makes two readings the same: the report, its data, the operator and the bus. */
export type ReportIdentity = Readonly<Record<string, unknown>>;

export interface UnfinishedOptions {
  /** The name under which the report appears once it is whole. */
  readonly out: string;
  readonly identity: ReportIdentity;
  /** Whether to go on after what an earlier run has left. */
  readonly resumes: boolean;
  /** Whether what exists is replaced: the file, and without `resumes` also what an earlier run has left. */
  readonly mayReplace: boolean;
}

/** How far the records go, as the file beside them says. */
interface State {
  readonly version: number;
  readonly identity: ReportIdentity;
  readonly reading: KeptReading;
  /** Length of the records, in bytes. */
  readonly bytes: number;
  /** Whether every record has been read. */
  readonly isComplete: boolean;
  /** The process that reads on; absent once it has ended. */
  readonly owner?: { readonly pid: number; readonly host: string } | undefined;
}

/**
 * A report that is being read: its records, one a line, in `<out>.part`, and beside it `<out>.part.json`, which says how far
 * they go, at most a second behind. Both are there until the report is whole, unless nothing was read.
 */
export class UnfinishedReport implements AsyncDisposable {
  readonly reading: Reading;
  readonly records: WrittenFile;
  readonly #options: UnfinishedOptions;
  #isComplete: boolean;
  #checkedAtMs = performance.now();
  #isSettled = false;

  private constructor(options: UnfinishedOptions, records: WrittenFile, left?: State) {
    this.#options = options;
    this.records = records;
    this.reading = new Reading(left?.reading);
    this.#isComplete = left?.isComplete ?? false;
  }

  /**
   * Begins, or goes on.
   *
   * @throws ExitError if the file exists, if an earlier run has left something and nothing says what to do with it, or if it is
   *   of another report
   */
  static async open(options: UnfinishedOptions): Promise<UnfinishedReport> {
    const { out, identity, resumes, mayReplace } = options;
    refuseExisting(options);
    const part = `${out}.part`;
    const left = await readState(`${part}.json`);
    let unfinished: UnfinishedReport | undefined;
    if (left && resumes) {
      refuseOther(left.identity, identity, part);
      const records = await WrittenFile.reopen(part, left.bytes);
      if (records) unfinished = new UnfinishedReport(options, records, left);
    } else if (left && left.reading.pages > 0 && !mayReplace) {
      const { pages, records } = left.reading;
      throw usageError(
        `${part} holds ${records} records of ${pages} pages of a report that was interrupted: --resume goes on after them, --force begins again`,
      );
    }
    const mayOverwrite = left !== undefined || mayReplace;
    unfinished ??= new UnfinishedReport(options, await WrittenFile.create(part, mayOverwrite));
    await unfinished.#checkpoint(true);
    return unfinished;
  }

  /** Whether every record has been read. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  async add(page: ReportPage<object>): Promise<void> {
    this.reading.add(page);
    for (const record of page.records) await this.records.write(`${exactJson(record)}\n`);
    if (performance.now() - this.#checkedAtMs >= CHECKPOINT_MS) await this.#checkpoint(true);
  }

  /** Every record has been read: a later run needs no bus. */
  async complete(): Promise<void> {
    this.#isComplete = true;
    await this.#checkpoint(true);
  }

  /** Gives a file its final name, and removes what was for a later run. @throws ExitError if that name is taken by now */
  async finish(file: WrittenFile): Promise<void> {
    await file.sync();
    refuseExisting(this.#options);
    await rename(file.path, this.#options.out);
    await this.discard();
  }

  /** Removes what was read. */
  async discard(): Promise<void> {
    this.#isSettled = true;
    await this.records.remove();
    for (const path of [`${this.#statePath}.tmp`, this.#statePath]) await rm(path, { force: true });
  }

  /** Leaves what was read to a later run. @returns what to tell the user; undefined if nothing was read */
  async keep(): Promise<string | undefined> {
    if (this.#isSettled) return undefined;
    const { pages, records } = this.reading;
    if (pages === 0) {
      await this.discard();
      return undefined;
    }
    this.#isSettled = true;
    // If the disk is full, the state is as old as the last time that it was not.
    await this.#checkpoint(false).catch(() => undefined);
    return `${records} records of ${pages} pages are kept in ${this.records.path}; the same command with --resume goes on after them`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.keep();
    await this.records[Symbol.asyncDispose]();
  }

  get #statePath(): string {
    return `${this.records.path}.json`;
  }

  async #checkpoint(isRunning: boolean): Promise<void> {
    this.#checkedAtMs = performance.now();
    const state: State = {
      version: VERSION,
      identity: this.#options.identity,
      reading: this.reading.toJSON(),
      bytes: await this.records.sync(),
      isComplete: this.#isComplete,
      owner: isRunning ? { pid: process.pid, host: hostname() } : undefined,
    };
    const next = `${this.#statePath}.tmp`;
    const file = await open(next, 'w');
    try {
      await file.writeFile(JSON.stringify(state));
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(next, this.#statePath);
  }
}

/** @throws ExitError if a process writes it now, or it is not what this program writes */
async function readState(path: string): Promise<State | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw usageError(`${path} cannot be read (${code})`);
  }
  const state = parse(text);
  if (!state) throw usageError(`${path} is not the state of a report that this version reads; remove it`);
  const { owner } = state;
  if (owner && isAnotherAndRuns(owner)) {
    throw usageError(`process ${owner.pid} reads this report into the same file`);
  }
  return state;
}

function parse(text: string): State | undefined {
  try {
    const state = JSON.parse(text) as Partial<State> | null;
    return state?.version === VERSION ? (state as State) : undefined;
  } catch {
    return undefined;
  }
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

function refuseExisting({ out, mayReplace }: UnfinishedOptions): void {
  if (!mayReplace && existsSync(out)) throw usageError(`${out} exists; --force replaces it`);
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
