import { onChannel, QueueConsumer, within } from '@poker-bridge/rabbitmq';

import type { ReportQueue } from './link.ts';
import { abortable } from './replies.ts';
import type { ReplyDelivery } from './reply.ts';
import { declareReplyQueue, type Model, type ReplyQueue } from './reply-queue.ts';

/** Pages in the memory of this process; each may take several MiB. */
const PAGES_PREFETCHED = 4;
/** Pages in the queue at the broker. The worker continues when there is room. */
const PAGES_QUEUED = 16;
const DELETE_TIMEOUT_MS = 2_000;
const QUEUE_ARGUMENTS = {
  'x-max-length': PAGES_QUEUED,
  'x-overflow': 'reject-publish',
  // Deletes the queue after a reader has died; longer than the worker waits for room.
  'x-expires': 300_000,
};

/** The queue of one report on the broker, on the connection that receives replies. */
export class BrokerReportQueue implements ReportQueue {
  readonly #replyQueue: ReplyQueue;
  readonly #name: string;
  readonly #consumer: QueueConsumer;
  readonly #onLeft: () => void;
  #declaring = Promise.resolve();
  #leaving: Promise<void> | undefined;

  constructor(
    replyQueue: ReplyQueue,
    name: string,
    handle: (delivery: ReplyDelivery) => Promise<void>,
    onLeft: () => void,
  ) {
    this.#replyQueue = replyQueue;
    this.#name = name;
    this.#consumer = new QueueConsumer({ queue: name, prefetch: PAGES_PREFETCHED, handle });
    this.#onLeft = onLeft;
  }

  async open(signal: AbortSignal): Promise<void> {
    const { connection } = this.#replyQueue;
    await this.#replyQueue.ready(signal);
    const declare = async (model: Model): Promise<void> => {
      if (!this.#leaving) await (this.#declaring = declareReplyQueue(model, this.#name, QUEUE_ARGUMENTS));
    };
    await declare(await abortable(connection.established(), signal));
    this.#consumer.start(connection, declare);
  }

  /** Leaves the queue to expire if it cannot be deleted. */
  leave(): Promise<void> {
    return (this.#leaving ??= this.#delete());
  }

  async #delete(): Promise<void> {
    await this.#consumer.drain(0);
    await this.#declaring.catch(() => undefined);
    await within(DELETE_TIMEOUT_MS, 'the connection', this.#replyQueue.connection.established())
      .then((model) =>
        onChannel(model, DELETE_TIMEOUT_MS, 'the deletion', (channel) => channel.deleteQueue(this.#name)),
      )
      .catch(() => undefined);
    this.#onLeft();
  }
}
