import { type Clock, Window } from '#resilience';

import type { Command } from '../command/command.ts';

/** Of what a player waits for: by default 5 s. */
const STUCK_SHARE = 1 / 3;

/**
 * The window of the players' lane of one worker.
 *
 * @param prefetch commands in flight at most
 * @param budgetMs of a command without a deadline
 */
export function laneWindow(prefetch: number, budgetMs: number, clock: Clock): Window {
  return new Window(prefetch, budgetMs * STUCK_SHARE, clock);
}

/** A compartment's name in the window: one operation of one operator. */
export function compartmentName(operation: string, operator: string): string {
  return `${operation} ${operator}`;
}

/** What a compartment is of, by its name in the window. */
export function compartmentOf(name: string): { readonly operator: string; readonly operation: string } {
  const [operation = ''] = name.split(' ', 1);
  return { operation, operator: name.slice(operation.length + 1) };
}

/** Ends what the step `withinShare` began, once the command is settled. A repeat does not show that its compartment moves. */
export function leaveShare(window: Window, { run, receivedAtMs }: Command): void {
  if (run.holding) window.leave(run.holding, run.isRepeat ? undefined : receivedAtMs);
}
