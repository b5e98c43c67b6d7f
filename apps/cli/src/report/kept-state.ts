import { open, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';

import type { ReportCompleted } from '#contracts';

import { usageError } from '../exit.ts';
import type { KeptReading } from './reading.ts';

const VERSION = 1;

/** What makes two readings the same: the report, its data, the operator and the bus. */
export type ReportIdentity = Readonly<Record<string, unknown>>;

/** How far the records beside it go. */
export interface KeptState {
  readonly identity: ReportIdentity;
  readonly reading: KeptReading;
  /** Length of the records, in bytes. */
  readonly bytes: number;
  /** The end, once every record has been read. */
  readonly completed?: ReportCompleted | undefined;
}

interface Owner {
  readonly pid: number;
  readonly host: string;
}

type Stored = KeptState & { readonly version: number; readonly owner?: Owner };

/** The state of a report that is being read, or was interrupted: a file of JSON that is replaced as a whole. */
export class StateFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** @throws ExitError if a process writes it now, or it is not what this program writes */
  async read(): Promise<KeptState | undefined> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      throw usageError(`${this.path} cannot be read (${code})`);
    }
    const state = parse(text);
    if (!state) {
      throw usageError(`${this.path} is not the state of a report that this version reads; remove it`);
    }
    const { owner } = state;
    if (owner && isAnotherAndRuns(owner)) {
      throw usageError(`process ${owner.pid} reads this report into the same file`);
    }
    return state;
  }

  /** @param isRunning whether this process goes on */
  async write(state: KeptState, isRunning: boolean): Promise<void> {
    const owner: Owner | undefined = isRunning ? { pid: process.pid, host: hostname() } : undefined;
    const next = `${this.path}.tmp`;
    const file = await open(next, 'w');
    try {
      await file.writeFile(JSON.stringify({ version: VERSION, ...state, owner }));
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(next, this.path);
  }

  async remove(): Promise<void> {
    await rm(`${this.path}.tmp`, { force: true });
    await rm(this.path, { force: true });
  }
}

function parse(text: string): Stored | undefined {
  try {
    const state = JSON.parse(text) as Partial<Stored> | null;
    return state?.version === VERSION ? (state as Stored) : undefined;
  } catch {
    return undefined;
  }
}

/** On another machine it cannot be asked. In a container each process may have the same number. */
function isAnotherAndRuns({ pid, host }: Owner): boolean {
  if (host !== hostname() || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
