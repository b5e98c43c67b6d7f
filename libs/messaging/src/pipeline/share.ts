import { CommandError } from '#contracts';
import { spread, type Window } from '#resilience';

import type { Command, Step } from '../command/command.ts';

/** The mean time after which refused callers retry; it is spread, so that they do not all return at once. */
const RETRY_AFTER_MS = 2_000;

/** The key of a compartment: one operation of one operator. */
export function compartmentNameOf({ envelope }: Command): string {
  return `${envelope.type} ${envelope.operator}`;
}

/** Returns the operator and the operation of a compartment key. */
export function compartmentOf(name: string): { readonly operator: string; readonly operation: string } {
  const [operation = ''] = name.split(' ', 1);
  return { operation, operator: name.slice(operation.length + 1) };
}

/**
 * Limits how many commands of one compartment wait in the interactive lane, from here until they are settled.
 * It follows `deduplicate`, so that a redelivered command gets its earlier answer however full the lane is.
 */
export function share(window: Window): Step {
  return (next) => (command) => {
    command.atEnd(enter(window, command));
    return next(command);
  };
}

/**
 * Takes a place in the window for a command, or for a repeat that waits for it. A repeat may exceed the share
 * of its compartment.
 *
 * @returns a function that releases the place
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
