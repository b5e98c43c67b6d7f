import { spawn } from 'node:child_process';

import { root } from '../root.ts';
import type { CheckStep } from './steps.ts';

export interface StepResult {
  readonly name: string;
  readonly isRight: boolean;
  readonly durationMs: number;
  readonly output: string;
}

/** Runs one step in the repository; its output is kept for when it fails. Never rejects. */
export function runStep({ name, command, args }: CheckStep): Promise<StepResult> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let output = '';
    const end = (isRight: boolean): void =>
      resolve({ name, isRight, durationMs: performance.now() - startedAt, output: output.trim() });
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', (error) => {
      output += error.message;
      end(false);
    });
    child.once('close', (code) => end(code === 0));
  });
}
