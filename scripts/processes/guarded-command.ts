import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { constants } from 'node:os';

export interface GuardedCommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Where its output goes: where this process's does, or into open files. */
  readonly output: 'inherit' | readonly [stdout: number, stderr: number];
  /** A folder that belongs to the command: `end` removes it, or the end of this process. */
  readonly folder?: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * The guard waits on descriptor 3, whose other end this process holds until it ends, in whatever way. Then it kills
 * the command, which has taken the shell's process id, removes the folder and kills the rest of the group with itself.
 */
const GUARD = `
(
  read -r word <&3
  kill -KILL $$ 2>/dev/null
  if [ -n "$1" ] && [ "$word" != keep ]; then rm -rf -- "$1"; fi
  kill -KILL -$$
) >/dev/null 2>&1 &
shift
exec 3<&-
exec "$@"
`;

/**
 * A command in a process group of its own that does not outlive this process: whichever way this one ends, also by SIGKILL,
 * the command and every child that stayed in its group are killed.
 */
export class GuardedCommand {
  /** Leads its group: `process.kill(-child.pid, signal)` reaches all of it. */
  readonly child: ChildProcess;
  /** Settles when the command itself has ended, or did not start. Never rejects. */
  readonly exited: Promise<Exit>;
  /** Settles when nothing of it is left. Never rejects. */
  readonly gone: Promise<void>;
  readonly #lifeline: Socket;
  #isEnding = false;

  constructor(
    command: string,
    args: readonly string[],
    { cwd, env, output, folder = '' }: GuardedCommandOptions,
  ) {
    const stdio = output === 'inherit' ? [output, output, output] : ['ignore' as const, ...output];
    this.child = spawn('/bin/sh', ['-c', GUARD, 'guard', folder, command, ...args], {
      detached: true,
      stdio: [...stdio, 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
    });
    const { child } = this;
    const lifeline = (this.#lifeline = child.stdio[3] as Socket);
    lifeline.on('error', () => undefined);
    lifeline.resume();
    this.exited = new Promise((resolve) => {
      const settle = (): void => resolve({ code: child.exitCode, signal: child.signalCode });
      child.once('exit', settle).once('error', settle);
    });
    const closed = new Promise((resolve) => lifeline.once('close', resolve));
    this.gone = Promise.all([this.exited, closed]).then(() => undefined);
    // A command that ends by itself may leave children behind: the guard clears them away. A folder may still be read.
    void this.exited.then(() => {
      if (folder === '') lifeline.end();
      else if (!this.#isEnding) lifeline.unref();
      return undefined;
    });
  }

  get hasEnded(): boolean {
    const { exitCode, signalCode, pid } = this.child;
    return exitCode !== null || signalCode !== null || pid === undefined;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Kills what still runs of the group, and removes its folder unless that is to be kept. */
  end({ keepFolder = false } = {}): Promise<void> {
    this.#isEnding = true;
    this.#lifeline.ref().end(keepFolder ? 'keep\n' : '');
    return this.gone;
  }
}

/**
 * Settles with the signal when this process gets one to stop, which from then on does not end it: Ctrl-C under npm comes
 * twice, from the terminal and from npm, and the second must not cut off what the first has begun.
 */
export function toldToStop(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
  });
}

/**
 * Runs a command to its end, on this process's terminal. A signal to stop kills the command and all of its children.
 *
 * @returns the command's exit code; if a signal ended it, 128 and the signal's number
 */
export async function runGuarded(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const guarded = new GuardedCommand(command, args, { env, output: 'inherit' });
  let stoppedBy: NodeJS.Signals | undefined;
  void toldToStop().then((signal) => {
    stoppedBy = signal;
    return guarded.end();
  });
  await guarded.gone;
  const endedBy = stoppedBy ?? guarded.child.signalCode;
  return endedBy === null ? (guarded.child.exitCode ?? 1) : 128 + constants.signals[endedBy];
}
