import { type BusNames, CommandError, type ErrorBody } from '#contracts';
import { DeadlineExceeded } from '#resilience';

import type { CheckedCommand, Step } from '../command/command.ts';
import { progressHeaders } from '../command/copy-of.ts';
import { errorBodyOf, failureOf, type Settlement } from '../command/settlement.ts';
import type { MessagingSettings } from '../messaging-settings.ts';
import type { QueueState } from '../observer/messaging-observer.ts';
import { ReplyQueueClosed, type ReplyQueues, stallLeftMs } from '../replies/reply-queues.ts';

export interface PostponeOptions {
  readonly names: BusNames;
  readonly settings: Pick<MessagingSettings, 'REPORTS_RETRY_DELAYS_MS' | 'REPORTS_STALL_MS'>;
}

export const STALL = 'REPLY_QUEUE_FULL';

/**
 * Moves a report to a retry queue while the platform is unavailable or its reply queue accepts nothing, as
 * long as its deadline allows. While the reply queue is known to accept nothing, the platform is not called.
 */
export function postpone(options: PostponeOptions, replyQueues: ReplyQueues): Step {
  const shortestMs = shortestOf(options);
  /** @returns undefined if the deadline is too near for a retry queue */
  const waitForQueue = (command: CheckedCommand, state: QueueState): Settlement | undefined => {
    const leftMs = state === 'unreachable' ? Infinity : stallLeftMs(command, options.settings);
    if (leftMs <= 0) throw queueFull(state);
    if (command.deadline.remainingMs() <= shortestMs) return undefined;
    return waitFor(command, options, errorBodyOf(queueFull(state), command));
  };
  return (next) => async (command) => {
    const known = await replyQueues.checkedStateOf(command);
    const waiting = known && waitForQueue(command, known);
    if (waiting) return waiting;
    try {
      const settlement = await next(command);
      if (settlement.kind === 'postpone') return settlement;
      const failure = failureOf(settlement);
      if (failure?.category !== 'unavailable') return settlement;
      // If no further retry follows, a person should see it.
      return (
        waitForPlatform(command, options, failure) ?? ({ ...settlement, kind: 'dead-letter' } as Settlement)
      );
    } catch (thrown) {
      if (!(thrown instanceof ReplyQueueClosed)) throw thrown;
      const { state } = thrown;
      const settlement = waitForQueue(command, state);
      if (!settlement) throw state === 'unreachable' ? new DeadlineExceeded() : queueFull(state);
      return settlement;
    }
  };
}

/** @returns undefined if the wait would exceed the deadline */
function waitForPlatform(
  command: CheckedCommand,
  options: PostponeOptions,
  failure: ErrorBody,
): Settlement | undefined {
  const { 'x-postponed': postponed = 0 } = command.envelope.own;
  const { REPORTS_RETRY_DELAYS_MS: delaysMs } = options.settings;
  const delayMs = nextDelayMs(delaysMs, postponed, command.deadline.remainingMs(), failure.retryAfterMs);
  return delayMs === undefined ? undefined : waitFor(command, options, failure, delayMs, postponed + 1);
}

/**
 * Returns the delay of a postponed report: the next longer one each time, at least `retryAfterMs` if there is
 * such a delay. After the longest delay it stays the same.
 *
 * @param delaysMs in ascending order
 * @param postponed number of earlier postponements
 * @returns undefined if the wait would exceed the deadline
 */
export function nextDelayMs(
  delaysMs: readonly number[],
  postponed: number,
  remainingMs: number,
  retryAfterMs = 0,
): number | undefined {
  const longEnough = delaysMs.slice(postponed).find((delayMs) => delayMs >= retryAfterMs);
  const delayMs = longEnough ?? delaysMs.at(-1);
  return delayMs !== undefined && Math.max(delayMs, retryAfterMs) < remainingMs ? delayMs : undefined;
}

/**
 * By default, waits for the shortest delay, and does not count as a postponement because nothing was
 * attempted.
 */
export function waitFor(
  command: CheckedCommand,
  options: PostponeOptions,
  failure: ErrorBody,
  delayMs = shortestOf(options),
  postponed = command.envelope.own['x-postponed'] ?? 0,
): Settlement {
  const headers = { 'x-postponed': postponed, ...progressHeaders(command) };
  return { kind: 'postpone', copy: { queue: options.names.retry(delayMs), headers }, delayMs, failure };
}

function queueFull(queue: QueueState): CommandError {
  return new CommandError(STALL, { details: { queue } });
}

export function shortestOf({ settings }: PostponeOptions): number {
  return settings.REPORTS_RETRY_DELAYS_MS[0] ?? 0;
}
