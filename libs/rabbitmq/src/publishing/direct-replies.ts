import type { ChannelModel } from 'amqplib';

import { BrokerConnection, type BrokerConnectionOptions } from '../connection/broker-connection.ts';
import { releaseOf } from '../connection/broker-release.ts';
import { within } from '../channel/time-limit.ts';
import { setBounded } from '../collections/set-bounded.ts';
import { ConfirmedPublisher } from './confirmed-publisher.ts';
import {
  type OutgoingMessage,
  type PublishOutcome,
  PublishRefusedError,
  UnconfirmedError,
} from '../outgoing-message.ts';

/**
 * RabbitMQ 4.0 closes the connection for an unreadable key. Direct replies are delivered at most once in any
 * case.
 */
const TIMEOUT_MS = 10_000;
const REMEMBERED_MS = 60_000;
/**
 * The pseudo-queue that a waiting client consumes. The broker replaces it by a key that starts with this name
 * and a dot. It needs no permission, and disappears with the client's connection.
 */
export const DIRECT_REPLY_TO = 'amq.rabbitmq.reply-to';
const KEY = /^amq\.rabbitmq\.reply-to\.([A-Za-z\d+/]+={0,2})\.[^.]+$/;
/** `NEW_PID_EXT` of Erlang's external term format. The node is an atom whose length takes one byte or two. */
const PROCESS = /^\x83X(?:w|[dv]\0)([^])([\w.@-]+)[^]{12}$/;

/** The most key kinds remembered as confirmed. Each kind is one channel of a caller. */
const MOST_CONFIRMED = 10_000;

type Line = ReturnType<typeof lineOf>;

/** A connection for direct replies. It is opened for the first reply. */
function lineOf(options: Omit<BrokerConnectionOptions, 'setUp'>) {
  const publisher = new ConfirmedPublisher();
  const setUp = (model: ChannelModel): Promise<void> => publisher.attach(model);
  return { publisher, connection: new BrokerConnection({ ...options, setUp }) };
}

/**
 * Publishes to direct reply keys (`amq.rabbitmq.reply-to.…`) over dedicated connections. Before RabbitMQ 4.3,
 * the broker closes a connection that publishes to an unreadable key, and other replies in flight on it may
 * be lost. Therefore a kind of key that was never confirmed does not share a connection with confirmed kinds.
 */
export class DirectReplies {
  readonly #untried: Line;
  readonly #trusted: Line;
  readonly #confirmed = new Map<string, true>();
  /** Kinds of keys that looked valid but were unreadable to the broker. Each has cost a connection. */
  readonly #unreadable = new Set<string>();

  constructor({ name, ...options }: Omit<BrokerConnectionOptions, 'setUp'>) {
    this.#untried = lineOf({ ...options, name: `${name} untried` });
    this.#trusted = lineOf({ ...options, name });
  }

  get connections(): readonly BrokerConnection[] {
    return [this.#untried.connection, this.#trusted.connection];
  }

  /**
   * @returns `returned` if the broker cannot read the key or, from RabbitMQ 4.3 on, if no client holds it
   * @throws UnconfirmedError if the message is no longer wanted, or if it takes longer than ten seconds
   */
  async publish(message: OutgoingMessage, isWanted: () => boolean): Promise<PublishOutcome> {
    // The part that the broker decodes. The part after the next dot is a secret.
    const kind = message.routingKey.split('.', 4).join('.');
    if (this.#unreadable.has(kind)) return 'returned';
    let isLate = false;
    try {
      const published = this.#publish(message, kind, () => !isLate && isWanted());
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

  async #publish(message: OutgoingMessage, kind: string, isWanted: () => boolean): Promise<PublishOutcome> {
    const { model } = this.#untried.connection;
    // From RabbitMQ 4.3 on, no key costs a connection.
    const isTrusted = this.#confirmed.has(kind) && !(model && releaseOf(model).isFrom43);
    const line = isTrusted ? this.#trusted : this.#untried;
    line.connection.open();
    // Older releases return a mandatory message even if a client holds the key.
    const { isFrom43: mandatory } = releaseOf(await line.connection.established());
    if (!mandatory && !isReadable(message.routingKey)) return 'returned';
    const outcome = await line.publisher.publish({ ...message, mandatory }, isWanted);
    if (outcome === 'confirmed') setBounded(this.#confirmed, kind, true, MOST_CONFIRMED);
    return outcome;
  }

  async close(): Promise<void> {
    const lines = [this.#untried, this.#trusted];
    for (const { publisher } of lines) publisher.close();
    await Promise.all(lines.map(({ connection }) => connection.close()));
  }
}

/**
 * Returns true if a key has the form that RabbitMQ generates up to 4.2: the process of a channel as a base64
 * Erlang term, and a secret.
 */
function isReadable(key: string): boolean {
  const [, encoded = ''] = KEY.exec(key) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  // Node.js decodes base64 more leniently than the broker.
  if (bytes.toString('base64') !== encoded) return false;
  const [, length, node] = PROCESS.exec(bytes.toString('latin1')) ?? [];
  return node !== undefined && node.length === length?.charCodeAt(0);
}
