import { randomUUID } from 'node:crypto';

import { type CommandData, type ReportCompleted, spansIntervals } from '@poker-bridge/contracts';
import { onChannel, QueueConsumer, within } from '@poker-bridge/rabbitmq';

import { type Bus, Call } from './call.ts';
import { CallerError } from './caller-error.ts';
import { type CallOptions, prepareCommand, type ReportCommand } from './command.ts';
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
  // For a reader that dies. Longer than the worker waits for room.
  'x-expires': 300_000,
};

export type ReportSummary = Readonly<ReportCompleted>;

/**
 * A report that is read while it is fetched, once: pages by `for await (const page of report)`, or records by
 * `report.records()`. A page is acknowledged after the loop's body, so that a slow reader slows the worker down.
 */
export class Report<R> implements AsyncIterable<ReportPage<R>> {
  readonly #bus: Bus;
  readonly #queue: string;
  readonly #start: () => Call;
  #isRead = false;
  #summary: ReportSummary | undefined;

  /** @throws CallerError `VALIDATION_FAILED` */
  constructor(
    bus: Bus,
    type: ReportCommand,
    data: CommandData[ReportCommand],
    { deadlineMs = DEADLINE_MS, id = randomUUID(), signal, retry, ...options }: CallOptions = {},
  ) {
    const queue = `${bus.sender.appId}.report.${randomUUID()}`;
    const prepare = () => {
      const command = prepareCommand(bus.sender, queue, type, data, { ...options, id, deadlineMs });
      const headers = { ...command.properties.headers, 'x-cancel-with-queue': true };
      return { ...command, properties: { ...command.properties, headers } };
    };
    // An id that no message can have is refused at once; the deadline begins when the report is first read.
    prepare();
    this.#bus = bus;
    this.#queue = queue;
    this.#start = () => new Call(bus, prepare(), deadlineMs, { signal, retry });
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
    const queue = this.#queue;
    const pages = new PageStream<R>();
    const handle = (delivery: ReplyDelivery) => pages.push(delivery);
    const consumer = new QueueConsumer({ queue, prefetch: PAGES_PREFETCHED, handle });
    let declaring = Promise.resolve();
    let leaving: Promise<void> | undefined;
    const declare = async (model: Model): Promise<void> => {
      if (!leaving) await (declaring = declareReplyQueue(model, queue, QUEUE_ARGUMENTS));
    };
    /** Deletes the queue, which cancels the report unless it has ended. If that fails, the queue expires. Never rejects. */
    const leave = (): Promise<void> => (leaving ??= deleteQueue());
    const deleteQueue = async (): Promise<void> => {
      await consumer.drain(0);
      await declaring.catch(() => undefined);
      await within(DELETE_TIMEOUT_MS, 'the connection', connection.established())
        .then((model) =>
          onChannel(model, DELETE_TIMEOUT_MS, 'the deletion', (channel) => channel.deleteQueue(queue)),
        )
        .catch(() => undefined);
      replyQueue.leaving.delete(leave);
    };
    using call = this.#start();
    replyQueue.leaving.add(leave);
    call.signal.addEventListener('abort', () => void leave());
    let failure: unknown;
    try {
      await replyQueue.ready(call.signal);
      await declare(await abortable(connection.established(), call.signal));
      consumer.start(connection, declare);
      this.#summary = yield* pages.read(call);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      call.ended(this.#summary ? 'succeeded' : 'failed', failure);
      await leave();
    }
  }
}

/** The replies to one report in sequence, each once: what a redelivery or a second run repeats is dropped. */
export class PageStream<R> {
  readonly #deliveries = new Mailbox<ReplyDelivery>();
  #sequence = 0;
  /** More than one if the report has changed between two runs. */
  readonly #totalCounts = new Set<number>();
  #readFrom: string | undefined;

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

  /** The pages, up to the summary; each is acknowledged when the next one is asked for. @throws as `call.next` does */
  async *read(call: Pick<Call, 'next'>): AsyncGenerator<ReportPage<R>, ReportSummary> {
    for (;;) {
      const { page, summary, acknowledge } = await call.next(this.#deliveries, (each) => this.#take(each));
      if (page) yield page;
      acknowledge();
      if (summary) return summary;
    }
  }

  /**
   * The page or the summary in a delivery; neither if it was given before.
   *
   * @throws CallerError as the worker answers, `REPLY_LOST` if a page is missing, `REPLY_UNREADABLE`
   */
  #take({ message, acknowledge }: ReplyDelivery) {
    try {
      const { type, data, sequence, commandId } = readReply(message);
      if (type === 'command.failed') throw CallerError.ofReply(data);
      if (type !== 'report.page' && type !== 'report.completed') return { acknowledge };
      this.#totalCounts.add(data.totalCount);
      if (sequence > this.#sequence) throw CallerError.of('REPLY_LOST', commandId);
      if (type === 'report.completed') return { summary: this.#summaryOf(data), acknowledge };
      if (sequence < this.#sequence) return { acknowledge };
      this.#sequence += 1;
      this.#readFrom ??= data.readAt;
      return { page: readPage<R>(data), acknowledge };
    } catch (error) {
      acknowledge();
      throw error;
    }
  }

  /** The end of the report; pages of an earlier run, which are not given twice, were read before what the last run says. */
  #summaryOf(data: ReportSummary): ReportSummary {
    const changedWhileReading = data.changedWhileReading || this.#totalCounts.size > 1;
    const readFrom = this.#readFrom ?? data.readFrom;
    const isSpanning = spansIntervals(Date.parse(readFrom), Date.parse(data.readTo));
    return { ...data, changedWhileReading, readFrom, spansIntervals: isSpanning };
  }
}
