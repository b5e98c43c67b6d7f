import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type GuardedCommand, guardedCommand, type Look } from './guarded-command.ts';

const STOP_TIMEOUT_MS = 10_000;
const LAST_LINES = 20;

export interface ServiceProcessOptions {
  /** Default: this Node.js. */
  readonly command?: string;
  readonly args: readonly string[];
  /** Its whole environment but for PATH. */
  readonly variables: Readonly<Record<string, string>>;
  /** The file that its output is added to. Default: one in a folder of its own. */
  readonly log?: string;
  /** A folder that is removed when it ends, or this process, whichever way. */
  readonly folder?: string;
}

/** A service in a process of its own that does not outlive this one, whose output is kept for when it fails. */
export class ServiceProcess implements AsyncDisposable {
  readonly #command: GuardedCommand;
  readonly #log: string;

  constructor({ command = process.execPath, args, variables, ...options }: ServiceProcessOptions) {
    const folder =
      options.folder ?? (options.log ? '' : mkdtempSync(join(tmpdir(), 'poker-bridge-service-')));
    this.#log = options.log ?? join(folder, 'output.log');
    const output = openSync(this.#log, 'a');
    this.#command = guardedCommand(command, args, {
      env: { PATH: process.env['PATH'], ...variables },
      stdin: 'ignore',
      stdout: output,
      stderr: output,
      folder,
    });
    closeSync(output);
  }

  get pid(): number {
    return this.#command.child.pid ?? 0;
  }

  /** The end of its output. */
  get lastLines(): string {
    return readFileSync(this.#log, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  }

  /**
   * Looks again and again until there is something to see.
   *
   * @param what completes "it does not …"
   * @throws {Error} with its last lines, if it ends before that or it takes too long
   */
  async until<T>(what: string, look: Look<T>, timeoutMs: number): Promise<T> {
    try {
      return await this.#command.until(look, timeoutMs);
    } catch (error) {
      throw new Error(`it does not ${what}:\n${this.lastLines}`, { cause: error });
    }
  }

  /** Waits until its output matches, and returns what the first group of the pattern holds. */
  says(pattern: RegExp, timeoutMs: number): Promise<string> {
    return this.until('start', () => pattern.exec(readFileSync(this.#log, 'utf8'))?.[1], timeoutMs);
  }

  /** Ends it as an orchestrator would, and by force if that takes too long. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { child, exited } = this.#command;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
    await this.#command.end();
  }
}
