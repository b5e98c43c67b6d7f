import { CommandError, compartmentKey } from '#contracts';
import { spread, type Window } from '#resilience';

import type { Command, Step } from '../command/command.ts';

/** The mean time after which refused callers retry; it is spread, so that they do not all return at once. */
const RETRY_AFTER_MS = 2_000;

/** Returns the key of a command's compartment. */
export function compartmentOf({ envelope: { type: operation, operator } }: Command): string {
  return compartmentKey({ operation, operator });
}

/**
 * Limits how many commands of one compartment wait in the interactive lane, from here until they are settled.
 * It follows `deduplicate`, so that a redelivered command gets its earlier answer however full the lane is.
 *
 * @throws CommandError `OVERLOADED`
 */
export function share(window: Window): Step {
  return (next) => (command) => {
    command.atEnd(window.enter(compartmentOf(command)) ?? overloaded());
    return next(command);
  };
}

/** @throws CommandError for a command that finds no place in the window */
export function overloaded(): never {
  const retryAfterMs = spread(RETRY_AFTER_MS, Math.random);
  throw new CommandError('OVERLOADED', { retryAfterMs, details: { reason: 'stuck' } });
}
