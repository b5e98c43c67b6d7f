import type { ChannelModel } from 'amqplib';

import { pause } from '../connection/abortable.ts';
import { abandon, within } from '../connection/broker-calls.ts';

const LOOK_MS = 2_000;
const TIMEOUT_MS = 2_000;

/**
 * Rejects once messages lie in a queue at two looks in a row and none came between them: a consumer that began during
 * an election may never be given anything.
 *
 * @param received how many have come so far; `undefined` while none may come
 * @throws the signal's reason
 */
export async function whenPassedOver(
  model: ChannelModel,
  queue: string,
  received: () => number | undefined,
  signal: AbortSignal,
): Promise<never> {
  for (let before: number | undefined; ;) {
    await pause(LOOK_MS, signal);
    const now = received();
    const waiting = now === undefined ? 0 : await depthOf(model, queue);
    if (waiting > 0 && before === now && received() === now) throw new Error('replies wait, and none comes');
    before = waiting > 0 ? now : undefined;
  }
}

/** How many messages wait in a queue; 0 if the broker does not say. Asked on a channel of its own, which it may close. */
async function depthOf(model: ChannelModel, queue: string): Promise<number> {
  try {
    const probe = await within(TIMEOUT_MS, 'a channel', model.createChannel());
    probe.on('error', () => undefined);
    const look = within(TIMEOUT_MS, 'a look', probe.checkQueue(queue));
    const { messageCount } = await look.finally(() => abandon(probe));
    return messageCount;
  } catch {
    return 0;
  }
}
