import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { root } from '../root.ts';

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 20;
const LAST_CHARACTERS = 2_000;

/**
 * The guard waits on descriptor 3, whose other end this process holds until it ends, in whatever way. Then it
 * kills the program, which has taken the shell's process id, removes the folder and kills the rest of the
 * group with itself. A program under another guard may still write into the folder, but not for long.
 */
const GUARD = `
(
  read -r word <&3
  kill -KILL $$
  rm -rf -- "$1" || { sleep 1; rm -rf -- "$1"; }
  kill -KILL -$$
) >/dev/null 2>&1 &
shift
exec 3<&-
exec "$@"
`;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A program in a process group of its own that does not outlive this process: whichever way this one ends,
 * also by SIGKILL, the program, every child that stayed in its group and its folder go, too. Its output is
 * kept in the folder.
 */
export class Program implements AsyncDisposable {
  readonly folder: string;
  /** Leads its group: `process.kill(-child.pid, signal)` reaches all of it. */
  readonly child: ChildProcess;
  /** Settles when the program itself has ended, or did not start. Never rejects. */
  readonly exited: Promise<Exit>;
  readonly #lifeline: Socket;
  /** Its output, once its folder is gone. */
  #written: Readonly<Record<'stdout' | 'stderr', string>> | undefined;

  /**
   * @param variables its whole environment but for PATH; default: the environment of this process
   * @param options.folder default: a new one
   * @param options.isShown whether its output goes where that of this process goes. Default: it is kept
   */
  constructor(
    command: string,
    args: readonly string[],
    variables?: NodeJS.ProcessEnv,
    { folder = mkdtempSync(join(tmpdir(), 'poker-bridge-program-')), isShown = false } = {},
  ) {
    const files = ['stdout', 'stderr'].map((name) => openSync(join(folder, name), 'a'));
    const child = spawn('/bin/sh', ['-c', GUARD, 'guard', folder, command, ...args], {
      cwd: root,
      env: variables && { PATH: process.env['PATH'], ...variables },
      detached: true,
      stdio: isShown ? [0, 1, 2, 'pipe'] : ['ignore', ...files, 'pipe'],
    });
    for (const file of files) closeSync(file);
    this.folder = folder;
    this.child = child;
    this.exited = new Promise((resolve) => {
      const settle = (): void => resolve({ code: child.exitCode, signal: child.signalCode });
      child.once('exit', settle).once('error', settle);
    });
    const lifeline = (this.#lifeline = child.stdio[3] as Socket);
    lifeline.on('error', () => undefined).resume();
    // Its folder may still be read, which is no reason for this process to wait.
    void this.exited.then(() => lifeline.unref());
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get hasEnded(): boolean {
    const { exitCode, signalCode, pid } = this.child;
    return exitCode !== null || signalCode !== null || pid === undefined;
  }

  get stdout(): string {
    return this.#output('stdout');
  }

  get stderr(): string {
    return this.#output('stderr');
  }

  /** Returns its exit status and its complete output after it has exited. */
  get result(): Promise<Exit & { readonly stdout: string; readonly stderr: string }> {
    return this.exited.then((exit) => ({ ...exit, stdout: this.stdout, stderr: this.stderr }));
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /**
   * Polls until `look` returns something other than `undefined` and `false`.
   *
   * @param what completes "it does not …"
   * @throws {Error} with the end of its output, if it ends before that or takes too long
   */
  async until<T>(
    what: string,
    look: () => T | undefined | false | Promise<T | undefined | false>,
    timeoutMs = START_TIMEOUT_MS,
  ): Promise<T> {
    try {
      for (const untilMs = Date.now() + timeoutMs; ; await sleep(POLL_MS)) {
        const found = await look();
        if (found !== undefined && found !== false) return found;
        if (this.hasEnded) throw new Error('the program has ended');
        if (Date.now() > untilMs) throw new Error(`the program takes longer than ${timeoutMs} ms`);
      }
    } catch (error) {
      const { exitCode, signalCode } = this.child;
      const exit = this.hasEnded ? ` (ended with ${exitCode ?? signalCode})` : '';
      const written = `${this.stdout.slice(-LAST_CHARACTERS)}${this.stderr.slice(-LAST_CHARACTERS)}`;
      throw new Error(`it does not ${what}${exit}:\n${written}`, { cause: error });
    }
  }

  /** Waits until its output matches, and returns the first group of the pattern. */
  says(pattern: RegExp): Promise<string> {
    return this.until(`say ${pattern}`, () => pattern.exec(this.stdout)?.[1]);
  }

  /**
   * Kills it with all processes that it has started, and removes its folder. All of them are gone when this
   * settles.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.kill('SIGKILL');
    await this.exited;
    this.#written ??= { stdout: this.stdout, stderr: this.stderr };
    if (this.#lifeline.closed) return;
    const closed = new Promise((resolve) => this.#lifeline.once('close', resolve));
    this.#lifeline.ref().end();
    await closed;
  }

  #output(name: 'stdout' | 'stderr'): string {
    return this.#written?.[name] ?? readFileSync(join(this.folder, name), 'utf8');
  }
}
