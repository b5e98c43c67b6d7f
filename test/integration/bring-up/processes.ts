import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Whether a process is running; a zombie is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program whose output is recorded. */
export class Program implements AsyncDisposable {
  readonly child;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  constructor(command: string, args: readonly string[]) {
    this.child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = once(this.child, 'close').then(([code, signal]) => {
      const { stdout, stderr } = this;
      return { code: code as number | null, signal: signal as NodeJS.Signals | null, stdout, stderr };
    });
  }

  /** Waits for a line of its output, and returns the first group of the pattern. */
  async says(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.stdout)?.[1];
      if (found !== undefined) return found;
      const hasEnded = await Promise.race([
        this.ended.then(() => true),
        once(this.child.stdout, 'data').then(() => false),
      ]);
      if (hasEnded) throw new Error(`it has ended:\n${this.stdout}${this.stderr}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}
