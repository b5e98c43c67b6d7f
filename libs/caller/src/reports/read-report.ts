import { randomUUID } from 'node:crypto';

import { type CommandData, spansIntervals } from '@poker-bridge/contracts';
import { onChannel, QueueConsumer } from '@poker-bridge/rabbitmq';

import { Attempts, type Bus } from '../calls/attempts.ts';
import { type CallOptions, prepareCommand, type ReportCommand } from '../calls/command.ts';
import { abortable, Mailbox } from '../replies/mailbox.ts';
import { CallerError } from '../caller-error.ts';
import { readReply, type ReplyDelivery } from '../replies/reply.ts';
import { declareReplyQueue, type Model } from '../replies/reply-queue.ts';
import { readPage, Report, type ReportPage, type ReportSummary } from './report.ts';

const DEADLINE_MS = 600_000;
/** Pages in this process; each may be some MiB. */
const PAGES_PREFETCHED = 4;
/** Pages that wait at the broker. The worker reads on when there is room. */
const PAGES_QUEUED = 16;
const DELETE_TIMEOUT_MS = 2_000;
const QUEUE_ARGUMENTS = {
  'x-max-length': PAGES_QUEUED,
  'x-overflow': 'reject-publish',
  // A reader that leaves may leave pages behind: they go with the queue. Longer than the worker waits for room.
  'x-expires': 300_000,
};

/**
 * A report whose pages come through a bounded queue of its own. It is fetched when it is first read.
 *
 * @throws CallerError `VALIDATION_FAILED`
 */
export function readReport<T extends ReportCommand, R>(
  bus: Bus,
  type: T,
  data: CommandData[T],
  { deadlineMs = DEADLINE_MS, id = randomUUID(), ...options }: CallOptions = {},
): Report<R> {
  const queue = `${bus.sender.appId}.report.${randomUUID()}`;
  const prepare = () => prepareCommand(bus.sender, queue, type, data, { ...options, id, deadlineMs });
  // An id that no message can have is refused at once; the deadline begins when the report is first read.
  prepare();
  const begin = () => new Attempts(bus, prepare(), deadlineMs, options.signal);
  return new Report<R>(pagesOf<R>(bus, queue, new PageStream<R>(id), begin));
}

/** The replies to one report in sequence, each once: what a redelivery or a second run repeats is dropped. */
export class PageStream<R> {
  readonly #commandId: string;
  readonly #deliveries = new Mailbox<ReplyDelivery>();
  #sequence = 0;
  /** As the first page says. */
  #totalCount: number | undefined;
  #readFrom: string | undefined;
  /** Whether a repeated page counted other records than the page that was given. */
  #hasChanged = false;

  constructor(commandId: string) {
    this.#commandId = commandId;
  }

  /** Takes a delivery, and settles once it is acknowledged: until then it is in flight. */
  push(delivery: ReplyDelivery): Promise<void> {
    return new Promise((resolve) => {
      const acknowledge = (): void => {
        delivery.acknowledge();
        resolve();
      };
      this.#deliveries.put({ message: delivery.message, acknowledge });
    });
  }

  /**
   * The pages of one run that were not given yet; each is acknowledged when the next one is asked for.
   *
   * @throws the signal's reason; CallerError as the worker answers, `REPLY_LOST` if a page is missing, `REPLY_UNREADABLE`
   */
  async *pages(signal: AbortSignal): AsyncGenerator<ReportPage<R>, ReportSummary> {
    for (;;) {
      const { message, acknowledge } = await this.#deliveries.next(signal);
      const reply = readReply(message);
      if (reply.type === 'report.page' || reply.type === 'report.completed') {
        this.#totalCount ??= reply.data.totalCount;
        if (reply.data.totalCount !== this.#totalCount) this.#hasChanged = true;
        if (reply.sequence > this.#sequence) {
          acknowledge();
          throw CallerError.of('REPLY_LOST', this.#commandId);
        }
      }
      if (reply.type === 'report.page' && reply.sequence === this.#sequence) {
        this.#sequence += 1;
        this.#readFrom ??= reply.data.readAt;
        yield readPage<R>(reply);
      }
      acknowledge();
      if (reply.type === 'command.failed') throw CallerError.ofReply(reply.data);
      if (reply.type === 'report.completed') return this.#summaryOf(reply.data);
    }
  }

  /** The end of the report; pages of an earlier run, which are not given twice, were read before what the last run says. */
  #summaryOf(data: ReportSummary): ReportSummary {
    const readFrom = this.#readFrom ?? data.readFrom;
    return {
      ...data,
      changedWhileReading: data.changedWhileReading || this.#hasChanged,
      readFrom,
      spansIntervals: spansIntervals(Date.parse(readFrom), Date.parse(data.readTo)),
    };
  }
}

async function* pagesOf<R>(
  { replyQueue }: Bus,
  queue: string,
  stream: PageStream<R>,
  begin: () => Attempts,
): AsyncGenerator<ReportPage<R>, ReportSummary> {
  const attempts = begin();
  const { connection } = replyQueue;
  const declare = (model: Model) => declareReplyQueue(model, queue, QUEUE_ARGUMENTS);
  const consumer = new QueueConsumer({
    queue,
    prefetch: PAGES_PREFETCHED,
    handle: (delivery) => stream.push(delivery),
  });
  let isComplete = false;
  try {
    await replyQueue.ready(attempts.signal);
    await declare(await abortable(connection.established(), attempts.signal));
    consumer.start(connection, declare);
    for (;;) {
      try {
        await attempts.publish();
        const summary = yield* stream.pages(attempts.signal);
        isComplete = true;
        return summary;
      } catch (error) {
        await attempts.pauseAfter(error);
      }
    }
  } finally {
    attempts.end();
    await consumer.drain(0);
    // Without its queue the worker stops, and so it does once the queue of a report that was left is full.
    const model = isComplete && connection.isUsable ? connection.model : undefined;
    if (model)
      await onChannel(model, DELETE_TIMEOUT_MS, 'the deletion', (channel) =>
        channel.deleteQueue(queue),
      ).catch(() => undefined);
  }
}
