import { closeSync, openSync, readFileSync } from 'node:fs';
import { once } from 'node:events';

import { type GuardedCommand, guardedCommand } from '../../../scripts/processes/guarded-command.ts';

const STOP_TIMEOUT_MS = 10_000;
const TOLD_LINES = 20;

export interface BenchProcessOptions {
  /** Default: this Node.js. */
  readonly command?: string;
  readonly args: readonly string[];
  /** All that it finds in its environment, but for PATH. */
  readonly variables: Readonly<Record<string, string>>;
  /** The file to which it says what it has to say. */
  readonly log: string;
  /** A folder that is removed when it ends, or this process, whichever way. */
  readonly folder?: string;
}

/** A program in a process of its own that does not outlive this one. */
export class BenchProcess implements AsyncDisposable {
  readonly #command: GuardedCommand;
  readonly #log: string;

  constructor({ command = process.execPath, args, variables, log, folder = '' }: BenchProcessOptions) {
    const output = openSync(log, 'a');
    this.#log = log;
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

  get hasEnded(): boolean {
    const { exitCode, signalCode } = this.#command.child;
    return exitCode !== null || signalCode !== null;
  }

  /** The end of what it said. */
  get lastWords(): string {
    return readFileSync(this.#log, 'utf8').trimEnd().split('\n').slice(-TOLD_LINES).join('\n');
  }

  kill(signal: NodeJS.Signals): void {
    this.#command.child.kill(signal);
  }

  /** Ends it as an orchestrator would, and by force if that takes too long. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.hasEnded) {
      const exited = once(this.#command.child, 'exit');
      this.kill('SIGTERM');
      const timer = setTimeout(() => this.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    }
    await this.#command.end();
  }
}
