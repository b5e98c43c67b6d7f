import type { Channel, ConsumeMessage } from 'amqplib';

import { within } from '../connection/within.ts';

/**
 * A quorum queue takes back what a closed channel held consumer by consumer: sorted by their tags, as text, up to 32 of
 * them, in any order beyond. A `get` counts as one, too.
 */
const MAX_CONSUMERS = 32;
/** Messages that a consumer gets at least, so that short queues take one or two. */
const SMALLEST_WINDOW = 100;
const ANSWER_TIMEOUT_MS = 5_000;
/** For messages that another consumer took, or that expired. */
const IDLE_TIMEOUT_MS = 2_000;

/**
 * Shows every message that lies in a quorum queue, oldest first. One that is not acknowledged is back in its place when
 * the channel is closed after the walk has come to its end; closed before, it is behind those that the walk had still to
 * show, as it would be after a nack.
 *
 * @param channel used for nothing else
 * @throws Error if the broker does not answer, or the channel closes
 */
export async function* walkQueue(channel: Channel, queue: string): AsyncGenerator<ConsumeMessage, void> {
  let { messageCount: left } = await answered(channel.checkQueue(queue));
  // Two consumers to spare, for windows that come short.
  const window = Math.max(SMALLEST_WINDOW, Math.ceil(left / (MAX_CONSUMERS - 2)));
  for (let consumer = 0; left > 0 && consumer < MAX_CONSUMERS; consumer += 1) {
    const consumerTag = `walk-${String(consumer).padStart(2, '0')}`;
    let taken = 0;
    for await (const message of take(channel, queue, Math.min(window, left), consumerTag)) {
      taken += 1;
      yield message;
    }
    if (taken === 0) return;
    left -= taken;
  }
}

/** Shows messages as they arrive, and keeps none: whatever lies there, memory holds what one read of the socket brought. */
async function* take(
  channel: Channel,
  queue: string,
  count: number,
  consumerTag: string,
): AsyncGenerator<ConsumeMessage, void> {
  const arrived: ConsumeMessage[] = [];
  let isDone = false;
  let left = count;
  let wake = (): void => undefined;
  const end = (): void => {
    isDone = true;
    wake();
  };
  const idle = setTimeout(end, IDLE_TIMEOUT_MS);
  const onMessage = (message: ConsumeMessage | null): void => {
    left -= 1;
    if (message) arrived.push(message);
    if (!message || left === 0) end();
    else idle.refresh();
    wake();
  };
  // Holds for the next consumer of the channel; what the ones before it got does not count.
  await answered(channel.prefetch(count));
  await answered(channel.consume(queue, onMessage, { consumerTag }));
  while (!isDone || arrived.length > 0) {
    const message = arrived.shift();
    if (message) yield message;
    else await new Promise<void>((resolve) => (wake = resolve));
  }
  clearTimeout(idle);
  await answered(channel.cancel(consumerTag));
}

function answered<T>(work: Promise<T>): Promise<T> {
  return within(ANSWER_TIMEOUT_MS, 'a look at a queue', work);
}
