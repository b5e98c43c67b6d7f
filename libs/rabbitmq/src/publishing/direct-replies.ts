import type { ChannelModel } from 'amqplib';

import { BrokerConnection, type BrokerConnectionOptions } from '../connection/broker-connection.ts';
import { releaseOf } from '../connection/broker-release.ts';
import { within } from '../connection/questions.ts';
import { ConfirmedPublisher } from './confirmed-publisher.ts';
import {
  type OutgoingMessage,
  type PublishOutcome,
  PublishRefusedError,
  UnconfirmedError,
} from './outgoing-message.ts';

/** RabbitMQ 4.0 closes the connection for a key that it cannot read; a reply to a key is at most once in any case. */
const TIMEOUT_MS = 10_000;
const REMEMBERED_MS = 60_000;
/**
 * The pseudo-queue that a waiting client names; the broker gives it a key that begins with this and a dot. It is consumed without
 * any permission, and ends with its client's connection.
 */
export const DIRECT_REPLY_TO = 'amq.rabbitmq.reply-to';
const KEY = /^amq\.rabbitmq\.reply-to\.([A-Za-z\d+/]+={0,2})\.[^.]+$/;
/** `NEW_PID_EXT` of Erlang's external term format: the node is an atom, and its length takes one byte or two. */
const PROCESS = /^\x83X(?:w|[dv]\0)([^])([\w.@-]+)[^]{12}$/;

/**
 * Publishes to direct reply keys (`amq.rabbitmq.reply-to.…`) over a connection of their own, which is opened for the first
 * of them: before RabbitMQ 4.3, the broker closes a connection that publishes to a key that it cannot read.
 */
export class DirectReplies {
  readonly #publisher = new ConfirmedPublisher();
  readonly #connection: BrokerConnection;
  /** Beginnings of keys that the broker could not read although they look like one; each has cost a connection. */
  readonly #unreadable = new Set<string>();
  /** Whether the broker returns only what nobody takes; by its release, read once for each connection. */
  #returnsOnlyUndelivered = false;

  constructor(options: Omit<BrokerConnectionOptions, 'setUp'>) {
    const setUp = (model: ChannelModel): Promise<void> => {
      this.#returnsOnlyUndelivered = releaseOf(model).isFrom43;
      return this.#publisher.attach(model);
    };
    this.#connection = new BrokerConnection({ ...options, setUp });
  }

  /**
   * @returns `returned` if the broker cannot read the key, or, from RabbitMQ 4.3 on, knows that nobody has it
   * @throws UnconfirmedError if nobody wants the message any more, or it takes longer than ten seconds
   */
  async publish(message: OutgoingMessage, isWanted: () => boolean): Promise<PublishOutcome> {
    // The part that the broker decodes: what follows the next dot is a secret.
    const kind = message.routingKey.split('.', 4).join('.');
    if (this.#unreadable.has(kind)) return 'returned';
    this.#connection.open();
    let isLate = false;
    try {
      const published = this.#publish(message, () => !isLate && isWanted());
      return await within(TIMEOUT_MS, 'a direct reply', published);
    } catch (error) {
      isLate = true;
      if (!(error instanceof PublishRefusedError))
        throw new UnconfirmedError((error as Error).message, { cause: error });
      this.#unreadable.add(kind);
      setTimeout(() => this.#unreadable.delete(kind), REMEMBERED_MS).unref();
      return 'returned';
    }
  }

  async #publish(message: OutgoingMessage, isWanted: () => boolean): Promise<PublishOutcome> {
    await this.#connection.established();
    const mandatory = this.#returnsOnlyUndelivered;
    if (!mandatory && !isReadable(message.routingKey)) return 'returned';
    return this.#publisher.publish({ ...message, mandatory }, isWanted);
  }

  async close(): Promise<void> {
    this.#publisher.close();
    await this.#connection.close();
  }
}

/**
 * Whether a key has the form of those that RabbitMQ makes up to 4.2: the process of a channel as an Erlang term in base64, and
 * a secret.
 */
function isReadable(key: string): boolean {
  const term = Buffer.from(KEY.exec(key)?.[1] ?? '', 'base64').toString('latin1');
  const [, length, node] = PROCESS.exec(term) ?? [];
  return node !== undefined && node.length === length?.charCodeAt(0);
}
