import {
  alarmSentence,
  BrokerConnection,
  ConfirmedPublisher,
  NOT_FOUND,
  pause,
  PublishRefusedError,
  UnconfirmedError,
} from '@poker-bridge/rabbitmq';

import { BrokerReportQueue } from './broker-report-queue.ts';
import { CallerError } from './caller-error.ts';
import type { CallerOptions, ConnectionOf } from './caller-options.ts';
import type { PreparedCommand } from './command.ts';
import type { Link, ReportQueue } from './link.ts';
import { abortable, type Replies } from './replies.ts';
import type { ReplyDelivery } from './reply.ts';
import { ReplyQueue } from './reply-queue.ts';
import { backoffMs } from './retries.ts';

/**
 * Sends over one connection to RabbitMQ and receives over another. Connects immediately, and reconnects until
 * it is closed.
 */
export class BrokerLink implements Link {
  readonly #publisher = new ConfirmedPublisher();
  readonly #connection: BrokerConnection;
  readonly #replies: ReplyQueue;
  /** The queues of the reports being read. */
  readonly #reports = new Set<ReportQueue>();

  constructor(options: CallerOptions, replies: Replies, connectionOf: ConnectionOf) {
    const setUp = this.#publisher.attach.bind(this.#publisher);
    this.#connection = new BrokerConnection({ ...connectionOf('publishing'), setUp });
    this.#connection.open();
    this.#replies = new ReplyQueue(connectionOf, options, replies);
  }

  get replyQueue(): string | undefined {
    return this.#replies.name;
  }

  get lastError(): string | undefined {
    return this.#connection.lastError ?? this.#replies.lastError;
  }

  get fault(): string | undefined {
    const { state } = this.#connection;
    if (state.kind === 'blocked') return alarmSentence(state.reason);
    return this.lastError === undefined ? undefined : `The last error: ${this.lastError.replace(/\.$/, '')}.`;
  }

  ready(signal: AbortSignal): Promise<string> {
    return this.#replies.ready(signal);
  }

  /** Publishes a persistent, mandatory message with confirmation, when replies can be received. */
  async publish({ id, exchange, routingKey, properties, body }: PreparedCommand, signal: AbortSignal) {
    const ownQueue = await this.ready(signal);
    const replyTo = properties.replyTo || ownQueue;
    const timestamp = Math.floor(Date.now() / 1_000);
    const stamped = { ...properties, replyTo, timestamp, headers: { ...properties.headers } };
    const content = Buffer.from(body);
    const message = { exchange, routingKey, mandatory: true, content, properties: stamped };
    for (let tries = 1; ; tries += 1) {
      const { state } = this.#connection;
      if (state.kind === 'refused') throw CallerError.of('LOGIN_REFUSED', id, state.reason);
      try {
        const published = this.#publisher.publish(message, () => !signal.aborted);
        const outcome = await abortable(published, signal);
        if (outcome === 'confirmed') return;
        if (outcome === 'returned') throw CallerError.of('NO_WORKER', id);
      } catch (error) {
        if (error instanceof PublishRefusedError) {
          throw CallerError.of(error.code === NOT_FOUND ? 'NO_WORKER' : 'NOT_PERMITTED', id, error.message);
        }
        if (!(error instanceof UnconfirmedError)) throw error;
      }
      // The lane is full or has no leader, or the connection was lost.
      await pause(backoffMs(tries), signal);
    }
  }

  reportQueue(name: string, handle: (delivery: ReplyDelivery) => Promise<void>): ReportQueue {
    const queue = new BrokerReportQueue(this.#replies, name, handle, () => this.#reports.delete(queue));
    this.#reports.add(queue);
    return queue;
  }

  async close(): Promise<void> {
    this.#publisher.close();
    const leaving = Promise.all([...this.#reports].map((queue) => queue.leave()));
    await Promise.all([leaving.then(() => this.#replies.close()), this.#connection.close()]);
  }
}
