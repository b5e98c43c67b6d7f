import { setTimeout as sleep } from 'node:timers/promises';

import type { ConfirmChannel } from 'amqplib';

const INTERVAL_MS = 1_000;
const TIMEOUT_MS = 5_000;

/**
 * Watches over a channel until it closes, and finds out where the broker owes it a word for more than five seconds.
 *
 * A channel of RabbitMQ 3.10 that first publishes to a quorum queue between the death of its leader and the election
 * of the next one never gets there: what it publishes to that queue is neither confirmed nor refused any more.
 *
 * @param isExcused whether the broker holds publishers back, and has said so
 * @param onSilent called once
 */
export async function watchConfirms(
  channel: ConfirmChannel,
  isExcused: () => boolean,
  onSilent: () => void,
): Promise<void> {
  let isOpen = true;
  channel.once('close', () => (isOpen = false));
  while (isOpen) {
    await sleep(INTERVAL_MS, undefined, { ref: false });
    if (!isOpen || isExcused() || (await answersInTime(channel)) || isExcused()) continue;
    if (isOpen) onSilent();
    return;
  }
}

/** A refusal is a word, too, and so is the end of the channel. */
async function answersInTime(channel: ConfirmChannel): Promise<boolean> {
  const answered = channel.waitForConfirms().then(
    () => true,
    () => true,
  );
  return Promise.race([answered, sleep(TIMEOUT_MS, false, { ref: false })]);
}
