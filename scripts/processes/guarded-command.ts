import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { Socket } from 'node:net';

export interface GuardedCommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly stdio?: Extract<StdioOptions, string>;
}

/** Runs the command; kills the group, itself included, once the pipe at descriptor 3 has no writer any more. */
const GUARD = '( read -r _ <&3; kill -KILL -$$ ) & exec 3<&-; "$@"';

/**
 * Starts a command in a process group of its own that does not outlive this process: whichever way this one ends,
 * also by SIGKILL, the command and every child that stayed in its group are killed.
 *
 * The child that is returned leads the group, so that `process.kill(-child.pid, signal)` reaches all of it.
 */
export function guardedCommand(
  command: string,
  args: readonly string[],
  { cwd, env, stdio = 'inherit' }: GuardedCommandOptions = {},
): ChildProcess {
  const child = spawn('/bin/sh', ['-c', GUARD, 'guard', command, ...args], {
    detached: true,
    stdio: [stdio, stdio, stdio, 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
  });
  const lifeline = child.stdio[3] as Socket;
  lifeline.unref();
  lifeline.on('error', () => undefined);
  // The command has ended: let the guard clear away what it left behind.
  child.once('exit', () => lifeline.destroy());
  return child;
}
