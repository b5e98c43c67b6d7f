import { constants } from 'node:os';

import { guardedCommand, type GuardedCommandOptions } from './guarded-command.ts';

/** Those that tell a process to stop. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Settles when this process is told to stop, which from then on does not end it: Ctrl-C under npm comes twice, from the
 * terminal and from npm, and the second must not cut off what the first has begun.
 */
export function toldToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve());
  });
}

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
