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
 * The guard waits until descriptor 3 is closed, which happens when this process ends, even by SIGKILL. Then
 * it kills the program, which has the shell's process id, removes the folder, and kills the rest of the group
 * including itself. A program with another guard may still write to the folder for a moment.
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
 * A program in its own process group, which ends with this process: even if this process is killed, the
 * program and the children in its group are killed, and its folder is removed. Its output is written to the
 * folder.
 */
export class Program implements AsyncDisposable {
  readonly folder: string;
  /** The leader of its group: `process.kill(-child.pid, signal)` reaches all of it. */
  readonly child: ChildProcess;
  /** Resolves when the program itself has ended, or could not start. Never rejects. */
  readonly exited: Promise<Exit>;
  readonly #lifeline: Socket;
  /** The output of the program, read before its folder was removed. */
  #written: Readonly<Record<'stdout' | 'stderr', string>> | undefined;

  /**
   * @param variables its whole environment except PATH; default: the environment of this process
   * @param options.folder default: a new one
   * @param options.isShown true to inherit the output of this process. Default: it is written to the folder
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
    // This process does not wait for the guard, although the folder may still be read.
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
   * @param what the end of the message "it does not …"
   * @throws {Error} with the end of its output, if it ends earlier or times out
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
   * Kills the program and all processes that it has started, and removes its folder. They have ended when
   * this resolves.
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
