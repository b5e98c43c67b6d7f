import { constants } from 'node:os';
import { guardedCommand, type GuardedCommandOptions } from './guarded-command.ts';
import { STOP_SIGNALS } from './stop-signals.ts';

export interface RunGuardedOptions extends GuardedCommandOptions {
  /** Kills the command and all of its children, as a signal that tells this process to stop does. */
  readonly abort?: AbortSignal;
}

/**
 * Runs a command to its end. A signal that tells this process to stop kills the command and all of its children.
 *
 * @returns the command's exit code; if a signal ended it, 128 and the signal's number
 */
export async function runGuarded(
  command: string,
  args: readonly string[],
  { abort, ...options }: RunGuardedOptions = {},
): Promise<number> {
  const guarded = guardedCommand(command, args, options);
  abort?.addEventListener('abort', () => void guarded.end());
  let stoppedBy: (typeof STOP_SIGNALS)[number] | undefined;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      stoppedBy ??= signal;
      void guarded.end();
    });
  }
  await guarded.gone;
  const endedBy = stoppedBy ?? guarded.child.signalCode;
  return endedBy === null ? (guarded.child.exitCode ?? 1) : 128 + constants.signals[endedBy];
}
