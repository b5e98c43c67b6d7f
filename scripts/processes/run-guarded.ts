import { constants } from 'node:os';
import { guardedCommand, type GuardedCommandOptions } from './guarded-command.ts';

const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a command to its end. A signal that tells this process to stop kills the command and all of its children.
 *
 * @returns the command's exit code; where a signal ended it, 128 and the signal's number
 */
export async function runGuarded(
  command: string,
  args: readonly string[],
  options: GuardedCommandOptions = {},
): Promise<number> {
  const child = guardedCommand(command, args, options);
  let stoppedBy: (typeof STOPPING)[number] | undefined;
  for (const signal of STOPPING) {
    process.on(signal, () => {
      stoppedBy ??= signal;
      if (child.pid !== undefined) killGroup(child.pid);
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const endedBy = stoppedBy ?? signal;
      resolve(endedBy === null ? (code ?? 1) : 128 + constants.signals[endedBy]);
    });
  });
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It ended by itself in this moment.
  }
}
