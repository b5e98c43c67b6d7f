import { setTimeout as sleep } from 'node:timers/promises';

import type { PublishOutcome } from './confirmed-publisher.ts';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

/** Publishes, and again while the broker refuses, as `publishAgain` does. */
export async function publishPatiently(
  publish: () => Promise<PublishOutcome>,
  remainingMs: () => number,
): Promise<PublishOutcome> {
  const outcome = await publish();
  return outcome === 'refused' ? publishAgain(publish, remainingMs) : outcome;
}

/**
 * Publishes what the broker has refused again, with growing pauses, while it refuses: a full queue may be read
 * meanwhile.
 *
 * @param remainingMs asked after each refusal; at 0 or less the refusal stands
 */
export async function publishAgain(
  publish: () => Promise<PublishOutcome>,
  remainingMs: () => number,
): Promise<PublishOutcome> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const leftMs = remainingMs();
    if (leftMs <= 0) return 'refused';
    await sleep(Math.min(pauseMs, leftMs));
    const outcome = await publish();
    if (outcome !== 'refused') return outcome;
  }
}
