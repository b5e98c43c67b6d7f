import { randomUUID } from 'node:crypto';

import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { openConnection } from '../../support/broker.ts';
import type { RunningWorker } from '../contestants/contestant.ts';

/** A month and a day are the same here: the platform decides how large a report is. */
const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
/** The longest that the contract allows. */
const BUDGET_MS = 20 * 60_000;
/** Pages that have come and are not acknowledged. */
const PREFETCH = 20;
const FIRST_ID = Buffer.from('"id":"player-');

/** How a report was read. */
export interface ReadReport {
  readonly pages: number;
  readonly elapsedMs: number;
  /** Of the final reply. */
  readonly end: Readonly<Record<string, unknown>>;
  /** Pages that came twice, out of turn, or with other records than those of their place; none is right. */
  readonly faults: number;
}

/** Reads reports one after the other, and keeps nothing of them. */
export class ReportReader implements AsyncDisposable {
  readonly #connection: ChannelModel;
  readonly #channel: Channel;
  readonly #queue: string;
  #onReply: (message: ConsumeMessage) => void = () => undefined;

  private constructor(connection: ChannelModel, channel: Channel, queue: string) {
    this.#connection = connection;
    this.#channel = channel;
    this.#queue = queue;
  }

  static async open(amqpUrl: string): Promise<ReportReader> {
    const { connection } = await openConnection(amqpUrl);
    const channel = await connection.createChannel();
    await channel.prefetch(PREFETCH);
    const { queue } = await channel.assertQueue('', { exclusive: true });
    const reader = new ReportReader(connection, channel, queue);
    await channel.consume(queue, (message) => {
      if (message === null) return;
      reader.#onReply(message);
      channel.ack(message);
    });
    return reader;
  }

  read(worker: RunningWorker, perPage: number): Promise<ReadReport> {
    const startMs = performance.now();
    const id = randomUUID();
    let pages = 0;
    let faults = 0;
    return new Promise((resolve) => {
      this.#onReply = ({ properties, content }) => {
        const headers = (properties.headers ?? {}) as Record<string, unknown>;
        if (headers['final'] === true) {
          const end = JSON.parse(content.toString()) as ReadReport['end'];
          resolve({ pages, elapsedMs: performance.now() - startMs, end, faults });
          return;
        }
        const isRight = headers['sequence'] === pages && firstRecord(content) === pages * perPage;
        if (!isRight) faults += 1;
        pages += 1;
      };
      worker.dialect.publish(
        this.#channel,
        {
          type: 'report.ad-hoc.fetch',
          data: { ...PERIOD, perPage },
          headers: { 'x-deadline': Date.now() + BUDGET_MS },
        },
        { replyTo: this.#queue, messageId: id, correlationId: id, persistent: true },
      );
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close();
  }
}

/** The number of the first record of a page, without parsing it. */
function firstRecord(content: Buffer): number {
  const from = content.indexOf(FIRST_ID) + FIRST_ID.length;
  return Number.parseInt(content.toString('latin1', from, from + 9), 10);
}
