import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { guardedCommand } from '../processes/guarded-command.ts';
import { root } from '../root.ts';

const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 10_000;

/**
 * A built program of this repository, in a process of its own that does not outlive this one, whose output is kept for
 * when it fails.
 */
export class ServiceProcess {
  readonly #name: string;
  readonly #child: ChildProcess;
  #output = '';

  /** @param program relative to `dist` */
  constructor(name: string, program: string, variables: Readonly<Record<string, string>>) {
    this.#name = name;
    const args = ['--enable-source-maps', join(root, 'dist', program)];
    const { child } = guardedCommand(process.execPath, args, {
      env: { PATH: process.env['PATH'], ...variables },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    this.#child = child;
    const keep = (text: Buffer): void => void (this.#output += text.toString());
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
  }

  /** Waits until the output matches, and returns what the first group of the pattern holds. */
  async says(pattern: RegExp): Promise<string> {
    const untilMs = Date.now() + START_TIMEOUT_MS;
    while (Date.now() < untilMs && this.#child.exitCode === null) {
      const found = pattern.exec(this.#output)?.[1];
      if (found !== undefined) return found;
      await sleep(20);
    }
    throw new Error(`${this.#name} did not start:\n${this.#output}`);
  }

  /** Ends it as an orchestrator would, and by force where that takes too long. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
  }
}
