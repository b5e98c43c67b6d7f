import { randomUUID } from 'node:crypto';

import { type CommandData, type ReportCompleted, spansIntervals } from '@poker-bridge/contracts';

import { type Bus, Call } from './call.ts';
import { CallerError } from './caller-error.ts';
import { type CallOptions, prepareCommand, type ReportCommand } from './command.ts';
import { readPage, type ReportPage } from './record.ts';
import { Mailbox } from './replies.ts';
import { readReply, type ReplyDelivery } from './reply.ts';

const DEADLINE_MS = 600_000;

export type ReportSummary = Readonly<ReportCompleted>;

/**
 * A report that is read once, while it is fetched: pages by `for await (const page of report)`, or records by
 * `report.records()`. A page is acknowledged after the loop body has processed it, so that a slow reader
 * slows down the worker.
 */
export interface Report<R> extends AsyncIterable<ReportPage<R>> {
  /** The worker's counts; `undefined` until the loop has ended. */
  readonly summary: ReportSummary | undefined;

  /** Iterates over the pages.
   *
   * @throws CallerError with a code of the worker, or `NO_WORKER`, `NOT_SENT`, `NO_REPLY`, `REPLY_LOST`; the
   *   signal's reason
   * @throws TypeError if the report is read a second time
   */
  [Symbol.asyncIterator](): AsyncGenerator<ReportPage<R>, void>;
  /** Iterates over the records of all pages. @throws the same errors as the pages */
  records(): AsyncGenerator<R, void>;
}

/** A report whose pages arrive in its own queue. */
export class FetchedReport<R> implements Report<R> {
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
    // Rejects an invalid id immediately; the deadline starts when the report is first read.
    prepare();
    this.#bus = bus;
    this.#queue = queue;
    this.#start = () => new Call(bus, prepare(), deadlineMs, { signal, retry });
  }

  get summary(): ReportSummary | undefined {
    return this.#summary;
  }

  [Symbol.asyncIterator](): AsyncGenerator<ReportPage<R>, void> {
    if (this.#isRead) throw new TypeError('A report can be read once: fetch it again.');
    this.#isRead = true;
    return this.#fetch();
  }

  async *records(): AsyncGenerator<R, void> {
    for await (const page of this) yield* page.records;
  }

  async *#fetch(): AsyncGenerator<ReportPage<R>, void> {
    const pages = new PageStream<R>();
    using call = this.#start();
    const queue = this.#bus.link.reportQueue(this.#queue, (delivery) => pages.push(delivery));
    call.signal.addEventListener('abort', () => void queue.leave());
    let failure: unknown;
    try {
      await queue.open(call.signal);
      this.#summary = yield* pages.read(call);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      call.ended(this.#summary ? 'succeeded' : 'failed', failure);
      await queue.leave();
    }
  }
}

/**
 * The replies to one report, in sequence and exactly once: repeats from a redelivery or a second run are
 * discarded.
 */
export class PageStream<R> {
  readonly #deliveries = new Mailbox<ReplyDelivery>();
  #sequence = 0;
  /** Contains more than one count if the report has changed between two runs. */
  readonly #totalCounts = new Set<number>();
  #readFrom: string | undefined;

  /** Adds a delivery, and settles when it is acknowledged; until then it is in flight. */
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
   * Iterates over the pages and returns the summary; a page is acknowledged when the next is requested.
   *
   * @throws as `call.next` does
   */
  async *read(call: Pick<Call, 'next'>): AsyncGenerator<ReportPage<R>, ReportSummary> {
    for (;;) {
      const { page, summary, acknowledge } = await call.next(this.#deliveries, (each) => this.#take(each));
      if (page) yield page;
      acknowledge();
      if (summary) return summary;
    }
  }

  /**
   * Returns the page or the summary in a delivery; neither if it is a repeat.
   *
   * @throws CallerError with a code of the worker, `REPLY_LOST` if a page is missing, `REPLY_UNREADABLE`
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

  /**
   * Returns the summary. Pages of an earlier run are not repeated, so `readFrom` may precede the start of the
   * last run.
   */
  #summaryOf(data: ReportSummary): ReportSummary {
    const changedWhileReading = data.changedWhileReading || this.#totalCounts.size > 1;
    const readFrom = this.#readFrom ?? data.readFrom;
    const isSpanning = spansIntervals(Date.parse(readFrom), Date.parse(data.readTo));
    return { ...data, changedWhileReading, readFrom, spansIntervals: isSpanning };
  }
}
