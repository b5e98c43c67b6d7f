import { CallerError } from '../errors/caller-error.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/**
 * How long to wait before a command is sent again: what the worker asks for, and full jitter over twice as long at each
 * failure.
 *
 * @param failures of this command so far, from 1
 * @param random 0 to 1
 * @returns `undefined` if sending it again cannot help, or not before its deadline
 */
export function retryPauseMs(
  error: unknown,
  failures: number,
  remainingMs: number,
  random: () => number,
): number | undefined {
  if (!(error instanceof CallerError) || !error.retryable) return undefined;
  const longestMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
  const pauseMs = (error.retryAfterMs ?? 0) + random() * longestMs;
  return pauseMs < remainingMs ? pauseMs : undefined;
}
