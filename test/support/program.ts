import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { root } from '../../scripts/root.ts';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProgramResult extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

/** A program in a process of its own, whose output is kept. */
export class Program implements AsyncDisposable {
  readonly child;
  readonly exited: Promise<Exit>;
  stdout = '';
  stderr = '';

  /** @param env default: that of this process */
  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    this.child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.exited = once(this.child, 'close').then(([code, signal]) => ({ code, signal }));
    // One that cannot even be started is told by those who wait for it.
    this.exited.catch((error: Error) => (this.stderr += error.message));
  }

  /** How it ended and all of its output, once it has ended. */
  get result(): Promise<ProgramResult> {
    return this.exited.then((exit) => ({ ...exit, stdout: this.stdout, stderr: this.stderr }));
  }

  /** Waits for a line of its output, and returns the first group of the pattern. */
  async says(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.stdout)?.[1];
      if (found !== undefined) return found;
      const hasEnded = await Promise.race([
        this.exited.then(() => true),
        once(this.child.stdout, 'data').then(() => false),
      ]);
      if (hasEnded) throw new Error(`it has ended:\n${this.stdout}${this.stderr}`);
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited.catch(() => undefined);
  }
}
