import { setTimeout as sleep } from 'node:timers/promises';

import type { PublishOutcome } from './confirmed-publisher.ts';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Publishes again, with growing pauses, while the broker refuses: a full queue may be read meanwhile.
 *
 * @param remainingMs asked after each refusal; at 0 or less the refusal stands
 */
export async function publishPatiently(
  publish: () => Promise<PublishOutcome>,
  remainingMs: () => number,
): Promise<PublishOutcome> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const outcome = await publish();
    const leftMs = remainingMs();
    if (outcome !== 'refused' || leftMs <= 0) return outcome;
    await sleep(Math.min(pauseMs, leftMs));
  }
}
