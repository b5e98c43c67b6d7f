import { setTimeout as sleep } from 'node:timers/promises';

import type { PublishOutcome } from './confirmed-publisher.ts';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Publishes again, with growing pauses, while the broker refuses: a full queue may be read meanwhile.
 *
 * @param remainingMs asked after each refusal; at 0 or less the refusal stands
 */
export function publishPatiently(
  publish: () => Promise<PublishOutcome>,
  remainingMs: () => number,
): Promise<PublishOutcome> {
  const again = (outcome: PublishOutcome) =>
    outcome === 'refused' ? publishAgain(publish, remainingMs) : outcome;
  return publish().then(again);
}

async function publishAgain(
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
