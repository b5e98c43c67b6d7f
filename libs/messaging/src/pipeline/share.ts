import { CommandError } from '#contracts';
import { spread, type Window } from '#resilience';

import type { Command, Step } from '../command/command.ts';

/** Refused callers wait about this long, and do not come back together. */
const RETRY_AFTER_MS = 2_000;

/** One operation of one operator. */
export function compartmentNameOf({ envelope }: Command): string {
  return `${envelope.type} ${envelope.operator}`;
}

/** The operator and the operation of a compartment, by its name. */
export function compartmentOf(name: string): { readonly operator: string; readonly operation: string } {
  const [operation = ''] = name.split(' ', 1);
  return { operation, operator: name.slice(operation.length + 1) };
}

/**
 * Keeps what waits for one operation of one operator from filling the players' lane, until the command is settled. It comes
 * behind `once`: what a command was answered before it was delivered again holds, whatever the lane holds by then.
 */
export function share(window: Window): Step {
  return (command, next) => {
    command.atEnd(enter(window, command));
    return next(command);
  };
}

/**
 * Takes a place in the window, for a command or for a repeat that waits for it: a repeat may be beside its compartment if that
 * holds its share.
 *
 * @returns gives the place back
 * @throws CommandError `OVERLOADED`
 */
export function enter(window: Window, command: Command, isRepeat = false): () => void {
  const leave = window.enter(compartmentNameOf(command), isRepeat);
  if (leave === undefined) {
    const retryAfterMs = spread(RETRY_AFTER_MS, Math.random);
    throw new CommandError('OVERLOADED', { retryAfterMs, details: { reason: 'stuck' } });
  }
  return leave;
}
