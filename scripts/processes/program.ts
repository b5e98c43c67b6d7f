import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { root } from '../root.ts';
import { type Exit, GuardedCommand } from './guarded-command.ts';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 20;
const LAST_CHARACTERS = 2_000;

/** A program in a process of its own that does not outlive this one, and whose output is kept. */
export class Program extends GuardedCommand implements AsyncDisposable {
  readonly #folder: string;
  /** What it has written, once its folder is gone. */
  #written: { readonly stdout: string; readonly stderr: string } | undefined;

  /**
   * @param variables its whole environment but for PATH; default: the environment of this process
   * @param folder belongs to it, and holds its output; default: a new one
   */
  constructor(
    command: string,
    args: readonly string[],
    variables?: NodeJS.ProcessEnv,
    folder = mkdtempSync(join(tmpdir(), 'poker-bridge-program-')),
  ) {
    const open = (name: string): number => openSync(join(folder, name), 'a');
    const output = [open('stdout'), open('stderr')] as const;
    const env = variables && { PATH: process.env['PATH'], ...variables };
    super(command, args, { cwd: root, ...(env && { env }), output, folder });
    for (const descriptor of output) closeSync(descriptor);
    this.#folder = folder;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get stdout(): string {
    return this.#written?.stdout ?? this.#read('stdout');
  }

  get stderr(): string {
    return this.#written?.stderr ?? this.#read('stderr');
  }

  /** How it ended and all of its output, once it has ended. */
  get result(): Promise<Exit & { readonly stdout: string; readonly stderr: string }> {
    return this.exited.then((exit) => ({ ...exit, stdout: this.stdout, stderr: this.stderr }));
  }

  /**
   * Looks again and again until there is something to see, which `undefined` and `false` are not.
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

  /** Ends it as an orchestrator does: by SIGTERM, and by force if that takes too long. */
  async stop(): Promise<void> {
    this.kill('SIGTERM');
    const timer = setTimeout(() => this.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.exited;
    clearTimeout(timer);
    await this[Symbol.asyncDispose]();
  }

  /** Kills it, and all that it has started. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.kill('SIGKILL');
    await this.exited;
    this.#written ??= { stdout: this.stdout, stderr: this.stderr };
    await this.end();
  }

  #read(name: string): string {
    return readFileSync(join(this.#folder, name), 'utf8');
  }
}
