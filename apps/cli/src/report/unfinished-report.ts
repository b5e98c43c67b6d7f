import { createWriteStream, existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { pipeline } from 'node:stream/promises';

import { EXIT, ExitError, usageError } from '../exit.ts';
import { jsonOr } from '../input.ts';
import { jsonLine } from '../output.ts';
import type { Page, ReportFacts } from './facts.ts';
import type { ReportRecord } from './totals.ts';

const VERSION = 3;

interface UnfinishedOptions {
  readonly out: string;
  /** Has to be equal for `--resume`: the report, its data, the operator and the bus. */
  readonly identity: Readonly<Record<string, unknown>>;
  readonly noFacts: () => ReportFacts;
  readonly resumes: boolean;
  /** True if an existing file is replaced and, without `resumes`, also the pages of an earlier run. */
  readonly mayReplace: boolean;
}

/** Written when a process starts or resumes, and without an owner when it ends. */
interface Head {
  readonly version: number;
  readonly identity: UnfinishedOptions['identity'];
  readonly owner?: { readonly pid: number; readonly host: string };
}

/**
 * A report that is being read into `<out>.part`, one JSON object a line: a head, and each page as it arrives.
 * A line that a killed process left incomplete is ignored.
 */
export class UnfinishedReport {
  readonly #options: UnfinishedOptions;
  readonly #file: FileHandle;
  #facts: ReportFacts;

  private constructor(options: UnfinishedOptions, file: FileHandle) {
    this.#options = options;
    this.#file = file;
    this.#facts = options.noFacts();
  }

  /**
   * @throws ExitError if the file exists, or if the pages of an earlier run can be neither replaced nor
   * continued
   */
  static async open(options: UnfinishedOptions): Promise<UnfinishedReport> {
    refuseExisting(options);
    const path = partOf(options);
    const file = await open(path, 'a+').catch((error: unknown) => {
      throw usageError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code})`);
    });
    const unfinished = new UnfinishedReport(options, file);
    await unfinished.#begin();
    return unfinished;
  }

  get facts(): ReportFacts {
    return this.#facts;
  }

  async add(page: Page): Promise<void> {
    // The copies have no `toJSON`, which would write amounts beyond 2^53 as strings.
    await this.#append({ ...page, records: page.records.map((record) => ({ ...record })) });
    this.#facts.add(page);
  }

  async *records(): AsyncGenerator<ReportRecord> {
    for await (const entry of this.#entries()) if (isPage(entry)) yield* entry.records ?? [];
  }

  /**
   * Writes the whole report under its final name, and its summary beside it as `<out>.summary.json`.
   *
   * @throws ExitError if the name is taken by now, if the disk refuses it, or if the content throws a
   * RangeError, because the report cannot have that form
   */
  async finish(content: AsyncIterable<string | Uint8Array>, summary: string): Promise<void> {
    const { out } = this.#options;
    const path = `${partOf(this.#options)}.whole`;
    const summaryPath = summaryPathOf(out);
    try {
      await writing(path, () => pipeline(content, createWriteStream(path, { flush: true })));
      refuseExisting(this.#options);
      await writing(summaryPath, () => writeFile(summaryPath, summary, { flush: true }));
      await writing(out, () => rename(path, out));
      await this.#remove();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // Resuming would fail in the same way.
      await this.#reset();
      throw new ExitError(EXIT.failed, error.message);
    } finally {
      await rm(path, { force: true });
    }
  }

  /** Keeps the pages for a later run. @returns a message for the user; empty without pages */
  async leave(): Promise<string> {
    if (this.#facts.pages === 0) {
      await this.#remove();
      return '';
    }
    // If the disk is full, the next run detects that this process has ended.
    await this.#append({ version: VERSION, identity: this.#options.identity }).catch(() => undefined);
    await this.#file.close();
    const kept = `${this.#facts.size} are kept in ${partOf(this.#options)}`;
    return `${kept}; the same command with --resume continues after them\n`;
  }

  async #begin(): Promise<void> {
    const { identity, resumes, mayReplace } = this.#options;
    const fault = (why: string): ExitError => usageError(`${partOf(this.#options)} ${why}`);
    const stat = await this.#file.stat();
    if (!stat.isFile()) throw fault('is no regular file; remove it');
    const { size } = stat;
    let head: Partial<Head> = {};
    let isOdd = false;
    for await (const entry of this.#entries()) {
      if (isPage(entry)) this.#facts.add(entry as Page);
      else if (entry.records !== undefined) isOdd = true;
      if (entry.identity) head = entry;
    }
    if (isOdd && (resumes || !mayReplace)) throw fault('has an invalid page; --force starts again');
    const { version, owner, identity: left } = head;
    if (size > 0 && version !== VERSION) throw fault('was not written by this version; remove it');
    if (owner && isAnotherAndRuns(owner)) {
      throw usageError(`process ${owner.pid} is reading a report into the same file: wait for it`);
    }
    if (resumes && left) {
      const names = Object.keys({ ...left, ...identity }).filter((name) => left[name] !== identity[name]);
      const advice = '--resume needs the same options; --force without it starts again';
      if (names.length > 0) throw fault(`was started with another ${names.join(', ')}: ${advice}`);
    } else {
      const advice = '--resume continues after them, --force starts again';
      const kept = `contains ${this.#facts.size} of an interrupted report`;
      if (this.#facts.pages > 0 && !mayReplace) throw fault(`${kept}: ${advice}`);
      await this.#reset();
    }
    await this.#append({ version: VERSION, identity, owner: { pid: process.pid, host: hostname() } });
  }

  async #reset(): Promise<void> {
    this.#facts = this.#options.noFacts();
    await this.#file.truncate();
  }

  async #remove(): Promise<void> {
    await rm(partOf(this.#options), { force: true });
    await this.#file.close();
  }

  async #append(entry: Head | Page): Promise<void> {
    // The entry starts on a new line, because the last line may be incomplete.
    await writing(partOf(this.#options), () => this.#file.appendFile(`\n${jsonLine(entry)}\n`));
  }

  /** Reads the entry of each line; an incomplete line gives an empty entry. */
  async *#entries(): AsyncGenerator<Partial<Head & Page>> {
    for await (const line of this.#file.readLines({ start: 0, autoClose: false })) {
      yield Object(jsonOr({}, line)) as Partial<Head & Page>;
    }
  }
}

/** True if an entry has all members of a page. A file may be damaged, or written by hand. */
function isPage(entry: Partial<Head & Page>): boolean {
  const { records, precisions, page, pageCount, perPage, totalCount, readAt } = entry;
  const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
  const counts: unknown[] = [page, pageCount, perPage, totalCount];
  const areCounts = counts.every((count) => Number.isSafeInteger(count)) && typeof readAt === 'string';
  return areCounts && isObject(precisions) && Array.isArray(records) && records.every(isObject);
}

/**
 * Runs work that writes a file.
 *
 * @throws ExitError if the system refuses the write; otherwise as the work does
 */
async function writing(path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new ExitError(EXIT.failed, `${path} cannot be written (${code})`);
  }
}

/**
 * True if another process of this machine is running. Process ids of other hosts and containers mean nothing
 * here.
 */
function isAnotherAndRuns({ pid, host }: NonNullable<Head['owner']>): boolean {
  if (host !== hostname() || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export const summaryPathOf = (out: string): string => `${out}.summary.json`;

const partOf = ({ out }: UnfinishedOptions): string => `${out}.part`;

function refuseExisting({ out, mayReplace }: UnfinishedOptions): void {
  if (!mayReplace && existsSync(out)) throw usageError(`${out} exists; --force replaces it`);
}
