import { constants } from 'node:os';
import { guardedCommand, type GuardedCommandOptions } from './guarded-command.ts';

const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface RunGuardedOptions extends GuardedCommandOptions {
  /** Kills the command and all of its children, as a signal that tells this process to stop does. */
  readonly abort?: AbortSignal;
}

/**
 * Runs a command to its end. A signal that tells this process to stop kills the command and all of its children.
 *
 * @returns the command's exit code; where a signal ended it, 128 and the signal's number
 */
export async function runGuarded(
  command: string,
  args: readonly string[],
  { abort, ...options }: RunGuardedOptions = {},
): Promise<number> {
  const { child, gone, end } = guardedCommand(command, args, options);
  abort?.addEventListener('abort', () => void end());
  let stoppedBy: (typeof STOPPING)[number] | undefined;
  for (const signal of STOPPING) {
    process.on(signal, () => {
      stoppedBy ??= signal;
      void end();
    });
  }
  await gone;
  const endedBy = stoppedBy ?? child.signalCode;
  return endedBy === null ? (child.exitCode ?? 1) : 128 + constants.signals[endedBy];
}
