import type { Channel, ConsumeMessage } from 'amqplib';

import { within } from '../connection/within.ts';

/** Held at once, in messages and in bytes; the size of a message is known only when it is there. */
const LARGEST_WINDOW = 100;
const FIRST_WINDOW = 10;
const WINDOW_BYTES = 8 * 1024 ** 2;
const ANSWER_TIMEOUT_MS = 3_000;
/** For messages that somebody else took, or whose time was over. */
const IDLE_TIMEOUT_MS = 1_000;

/**
 * Shows every message that lies in a queue, oldest first. One that is not acknowledged is back in its place when the
 * channel is closed; a nack would put it behind the others.
 *
 * @param channel used for nothing else
 * @throws Error if the broker does not answer, or the channel closes
 */
export async function* walkQueue(channel: Channel, queue: string): AsyncGenerator<ConsumeMessage, void> {
  let { messageCount: left } = await answered(channel.checkQueue(queue));
  let largestBytes = 1;
  for (let window = FIRST_WINDOW; left > 0; ) {
    const messages = await take(channel, queue, Math.min(window, left));
    if (messages.length === 0) return;
    left -= messages.length;
    for (const message of messages) {
      largestBytes = Math.max(largestBytes, message.content.length);
      yield message;
    }
    window = Math.max(1, Math.min(LARGEST_WINDOW, Math.floor(WINDOW_BYTES / largestBytes)));
  }
}

async function take(channel: Channel, queue: string, count: number): Promise<ConsumeMessage[]> {
  const messages: ConsumeMessage[] = [];
  const { promise: isComplete, resolve } = Promise.withResolvers<void>();
  // Holds for the next consumer of the channel, and what the ones before it got does not count.
  await answered(channel.prefetch(count));
  const consuming = channel.consume(queue, (message) => {
    if (message) messages.push(message);
    if (!message || messages.length === count) resolve();
  });
  const { consumerTag } = await answered(consuming);
  await within(IDLE_TIMEOUT_MS, 'the queue', isComplete).catch(() => undefined);
  await answered(channel.cancel(consumerTag));
  return messages;
}

function answered<T>(work: Promise<T>): Promise<T> {
  return within(ANSWER_TIMEOUT_MS, 'a look at a queue', work);
}
