import { setTimeout as sleep } from 'node:timers/promises';

import { exponentialMs } from '#resilience';

import type { PublishOutcome } from './confirming-channel.ts';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

/** Whether no queue has the message, though one may take it later. */
export function isRefusal(outcome: PublishOutcome): outcome is 'refused' | 'unanswered' {
  return outcome === 'refused' || outcome === 'unanswered';
}

/** Publishes, and again while the broker refuses or does not answer, as `retryPublish` does. */
export async function publishWithRetry(
  publish: () => Promise<PublishOutcome>,
  remainingMs: () => number,
): Promise<PublishOutcome> {
  const outcome = await publish();
  return isRefusal(outcome) ? retryPublish(publish, remainingMs, outcome) : outcome;
}

/**
 * Publishes again what was refused or not answered, with growing pauses: a full queue may be read meanwhile, and one
 * without a leader may get one.
 *
 * @param remainingMs asked after each refusal; at 0 or less the refusal stands
 * @param refusal what stands if no time remains at all
 */
export async function retryPublish(
  publish: () => Promise<PublishOutcome>,
  remainingMs: () => number,
  refusal: 'refused' | 'unanswered',
): Promise<PublishOutcome> {
  let last = refusal;
  for (let attempt = 1; ; attempt += 1) {
    const leftMs = remainingMs();
    if (leftMs <= 0) return last;
    await sleep(Math.min(exponentialMs(attempt, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), leftMs));
    const outcome = await publish();
    if (!isRefusal(outcome)) return outcome;
    last = outcome;
  }
}
