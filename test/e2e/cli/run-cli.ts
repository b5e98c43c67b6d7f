import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { root } from '../../../scripts/root.ts';
/** The built command line, and the flags of Node.js before it. */
export const PROGRAM = ['--disable-warning=ExperimentalWarning', join(root, 'dist/apps/cli/src/main.js')];

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines that `--json` printed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

export interface CliSurroundings {
  readonly variables?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
}

/** Starts the built command line with only these variables. */
export function startCli(
  args: readonly string[],
  { variables = {}, input = '' }: CliSurroundings = {},
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [...PROGRAM, ...args], {
    env: { PATH: process.env['PATH'], ...variables },
  });
  child.stdin.on('error', () => undefined).end(input);
  return child;
}

/** Runs the built command line with only these variables. */
export function runCli(args: readonly string[], surroundings: CliSurroundings = {}): Promise<CliRun> {
  return outcomeOf(startCli(args, surroundings));
}

export async function outcomeOf(child: ChildProcessWithoutNullStreams): Promise<CliRun> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return {
    code,
    stdout,
    stderr,
    get lines() {
      const whole = stdout.split('\n').slice(0, -1);
      return whole.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}
