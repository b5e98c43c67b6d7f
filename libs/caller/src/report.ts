import { randomUUID } from 'node:crypto';

import { type CommandData, type ReportCompleted, spansIntervals } from '@poker-bridge/contracts';
import { onChannel, QueueConsumer } from '@poker-bridge/rabbitmq';

import { Attempts, type Bus } from './attempts.ts';
import { CallerError } from './caller-error.ts';
import { type CallOptions, prepareCommand, type PreparedCommand, type ReportCommand } from './command.ts';
import { readPage, type ReportPage } from './record.ts';
import { abortable, Mailbox } from './replies.ts';
import { readReply, type ReplyDelivery } from './reply.ts';
import { declareReplyQueue, type Model } from './reply-queue.ts';

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

export type ReportSummary = Readonly<ReportCompleted>;

/**
 * A report that is read while it is fetched, once: pages by `for await (const page of report)`, or records by
 * `report.records()`. A page is acknowledged after the loop's body, so that a slow reader slows the worker down.
 */
export class Report<R> implements AsyncIterable<ReportPage<R>> {
  readonly #bus: Bus;
  readonly #prepare: () => PreparedCommand;
  readonly #deadlineMs: number;
  readonly #signal: AbortSignal | undefined;
  #isRead = false;
  #summary: ReportSummary | undefined;

  /** @throws CallerError `VALIDATION_FAILED` */
  constructor(
    bus: Bus,
    type: ReportCommand,
    data: CommandData[ReportCommand],
    { deadlineMs = DEADLINE_MS, id = randomUUID(), signal, ...options }: CallOptions = {},
  ) {
    const queue = `${bus.sender.appId}.report.${randomUUID()}`;
    this.#bus = bus;
    this.#prepare = () => prepareCommand(bus.sender, queue, type, data, { ...options, id, deadlineMs });
    this.#deadlineMs = deadlineMs;
    this.#signal = signal;
    // An id that no message can have is refused at once; the deadline begins when the report is first read.
    this.#prepare();
  }

  /** What the worker counted; `undefined` until the loop has ended. */
  get summary(): ReportSummary | undefined {
    return this.#summary;
  }

  /**
   * @throws CallerError as the worker answers, or `NO_WORKER`, `NOT_SENT`, `NO_REPLY`, `REPLY_LOST`; the signal's reason
   * @throws TypeError if it is looped over a second time
   */
  [Symbol.asyncIterator](): AsyncGenerator<ReportPage<R>, void> {
    if (this.#isRead) throw new TypeError('A report can be read once: fetch it again.');
    this.#isRead = true;
    return this.#fetch();
  }

  /** Each record of each page. @throws CallerError as the pages do */
  async *records(): AsyncGenerator<R, void> {
    for await (const page of this) yield* page.records;
  }

  async *#fetch(): AsyncGenerator<ReportPage<R>, void> {
    const { replyQueue } = this.#bus;
    const { connection } = replyQueue;
    const command = this.#prepare();
    const queue = command.properties.replyTo;
    const stream = new PageStream<R>(command.id);
    const handle = (delivery: ReplyDelivery) => stream.push(delivery);
    const consumer = new QueueConsumer({ queue, prefetch: PAGES_PREFETCHED, handle });
    const declare = (model: Model) => declareReplyQueue(model, queue, QUEUE_ARGUMENTS);
    const attempts = new Attempts(this.#bus, command, this.#deadlineMs, this.#signal);
    try {
      await replyQueue.ready(attempts.signal);
      await declare(await abortable(connection.established(), attempts.signal));
      consumer.start(connection, declare);
      for (;;) {
        try {
          await attempts.publish();
          this.#summary = yield* stream.pages(attempts.signal);
          return;
        } catch (error) {
          await attempts.pauseAfter(error);
        }
      }
    } finally {
      attempts.end();
      await consumer.drain(0);
      // Without its queue the worker stops, and so it does once the queue of a report that was left is full.
      const model = this.#summary && connection.isUsable ? connection.model : undefined;
      const remove = () =>
        model && onChannel(model, DELETE_TIMEOUT_MS, 'the deletion', (channel) => channel.deleteQueue(queue));
      await remove()?.catch(() => undefined);
    }
  }
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
        yield readPage<R>(reply.data);
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
