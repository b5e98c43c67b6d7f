import { type Clock, Window } from '#resilience';

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
