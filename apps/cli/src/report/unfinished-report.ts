import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';

import type { ReportCompleted, ReportPage } from '#contracts';

import { usageError } from '../exit.ts';
import { exactJson } from '../input/exact-json.ts';
import { type KeptState, type ReportIdentity, StateFile } from './kept-state.ts';
import { Reading } from './reading.ts';
import { WrittenFile } from './written-file.ts';

/** A process that is killed loses what it has read since. */
const CHECKPOINT_MS = 1_000;

export interface UnfinishedOptions {
  /** The name under which the report appears once it is whole. */
  readonly out: string;
  readonly identity: ReportIdentity;
  /** Whether to go on after what an earlier run has left. */
  readonly resumes: boolean;
  /** Whether what exists is replaced: the file, and without `resumes` also what an earlier run has left. */
  readonly mayReplace: boolean;
}

/**
 * A report that is being read: its records, one a line, in `<out>.part`, and beside it `<out>.part.json`, which says how far
 * they go, at most a second behind. Both are there until the report is whole, unless nothing was read.
 */
export class UnfinishedReport implements AsyncDisposable {
  readonly reading: Reading;
  readonly records: WrittenFile;
  readonly #options: UnfinishedOptions;
  readonly #state: StateFile;
  #completed: ReportCompleted | undefined;
  #checkedAtMs = performance.now();
  #isSettled = false;

  private constructor(options: UnfinishedOptions, state: StateFile, records: WrittenFile, kept?: KeptState) {
    this.#options = options;
    this.#state = state;
    this.records = records;
    this.reading = new Reading(kept?.reading);
    this.#completed = kept?.completed;
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
    const state = new StateFile(`${part}.json`);
    const left = await state.read();
    let unfinished: UnfinishedReport | undefined;
    if (left && resumes) {
      refuseOther(left.identity, identity, part);
      const records = await WrittenFile.reopen(part, left.bytes);
      if (records) unfinished = new UnfinishedReport(options, state, records, left);
    } else if (left && left.reading.pages > 0 && !mayReplace) {
      const { pages, records } = left.reading;
      throw usageError(
        `${part} holds ${records} records of ${pages} pages of a report that was interrupted: --resume goes on after them, --force begins again`,
      );
    }
    unfinished ??= new UnfinishedReport(
      options,
      state,
      await WrittenFile.create(part, left !== undefined || mayReplace),
    );
    await unfinished.#checkpoint(true);
    return unfinished;
  }

  /** The end, if every record has been read. */
  get completed(): ReportCompleted | undefined {
    return this.#completed;
  }

  async add(page: ReportPage): Promise<void> {
    this.reading.add(page);
    for (const record of page.records) await this.records.write(`${exactJson(record)}\n`);
    if (performance.now() - this.#checkedAtMs >= CHECKPOINT_MS) await this.#checkpoint(true);
  }

  /** Every record has been read: a later run needs no bus. */
  async complete(completed: ReportCompleted): Promise<void> {
    this.#completed = completed;
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
    await this.#state.remove();
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
    // If the disk is full, what stands there is as old as the last time that it was not.
    await this.#checkpoint(false).catch(() => undefined);
    return `${records} records of ${pages} pages are kept in ${this.records.path}; the same command with --resume goes on after them`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.keep();
    await this.records[Symbol.asyncDispose]();
  }

  async #checkpoint(isRunning: boolean): Promise<void> {
    this.#checkedAtMs = performance.now();
    const state = {
      identity: this.#options.identity,
      reading: this.reading.toJSON(),
      bytes: await this.records.sync(),
      completed: this.#completed,
    };
    await this.#state.write(state, isRunning);
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
