import { setTimeout as sleep } from 'node:timers/promises';

import { type Channel, type ChannelModel, type ConfirmChannel, connect, type ConsumeMessage } from 'amqplib';

import { within } from '../../../libs/rabbitmq/src/connection/within.ts';
import { uniquePrefix } from '../../support/broker.ts';
import { closeConnection } from '../../support/close-connection.ts';
import { until } from '../../support/until.ts';
import { busSpeech, type Speech } from './speech.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** A process that hangs in the broker, up to 65 s on a paused node, holds up the close of its connection, too. */
const ANSWER_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;
const PAUSE_MS = 100;
/**
 * A channel may never confirm what it published while a queue had no leader: another one does. Twice as long at each try,
 * for a busy broker. What is measured of the worker is measured through this caller, so it must not be the slower one.
 */
const FIRST_CONFIRM_TIMEOUT_MS = 1_000;
const LONGEST_CONFIRM_TIMEOUT_MS = 8_000;
/** A consumer that began during an election may never be given anything: another one is. */
const LOOK_MS = 2_000;

/** A reply, received once or more often. */
export interface SeenReply {
  readonly atMs: number;
  /** The broker has delivered it before, to this caller, whose acknowledgement it did not get. */
  readonly isRedelivered: boolean;
  readonly correlationId: string;
  readonly messageId: string;
  readonly type: string;
  readonly isFinal: boolean;
  readonly text: string;
}

export interface DurableCallerOptions {
  /** How commands are written, and replies read. Default: by the bus contract. */
  readonly speech?: Speech;
  /** Further arguments of the reply queue. */
  readonly queueArguments?: Readonly<Record<string, unknown>>;
  /** Called each time that a command is published, which is again until that is confirmed. */
  readonly onPublish?: (id: string) => void;
  /** Called with each reply. */
  readonly onReply?: (reply: SeenReply) => void;
}

interface Command {
  readonly type: string;
  readonly id: string;
  readonly content: Buffer;
  readonly confirmed: () => void;
}

/**
 * A caller that survives failures of a cluster, as a careful one does: it publishes again until that is confirmed,
 * and has a durable queue of its own for the replies, each acknowledged once it is seen.
 */
export class DurableCaller implements AsyncDisposable {
  readonly replyQueue = `${uniquePrefix()}-replies`;
  readonly seen: SeenReply[] = [];
  readonly #urls: readonly string[];
  readonly #options: DurableCallerOptions;
  readonly #speech: Speech;
  readonly #unconfirmed = new Set<Command>();
  readonly #serving: Promise<void>;
  /** Ends the connection in use, so that the next one begins anew. */
  #renew: () => unknown = () => undefined;
  #channel: ConfirmChannel | undefined;
  #confirmTimeoutMs = FIRST_CONFIRM_TIMEOUT_MS;
  #isClosed = false;
  #isPaused = false;

  private constructor(urls: readonly string[], prefix: string, options: DurableCallerOptions) {
    this.#urls = urls;
    this.#options = options;
    this.#speech = options.speech ?? busSpeech(prefix);
    this.#serving = this.#serve();
  }

  /** @param urls of the nodes, tried in turn */
  static async open(
    urls: readonly string[],
    prefix: string,
    options: DurableCallerOptions = {},
  ): Promise<DurableCaller> {
    const caller = new DurableCaller(urls, prefix, options);
    await caller.#connected();
    return caller;
  }

  /** Settles once the broker has confirmed it, over as many connections as that takes. */
  publish(type: string, id: string, body: object): Promise<void> {
    return new Promise((resolve) => {
      const content = Buffer.from(JSON.stringify(this.#speech.bodyOf(type, id, body)));
      const command = { type, id, content, confirmed: resolve };
      this.#unconfirmed.add(command);
      this.#send(command);
    });
  }

  /** Reads no more replies until `resume`. */
  pause(): void {
    this.#isPaused = true;
    this.#renew();
  }

  resume(): void {
    this.#isPaused = false;
    this.#renew();
  }

  /** Deletes its reply queue, with what lies in it; `resume` declares it again. */
  async deleteQueue(): Promise<void> {
    const channel = await this.#connected();
    this.#isPaused = true;
    await channel.deleteQueue(this.replyQueue);
  }

  /** The number of messages in a queue. */
  async count(queue: string): Promise<number> {
    const channel = await this.#connected();
    return (await channel.checkQueue(queue)).messageCount;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#serving;
  }

  #connected(): Promise<ConfirmChannel> {
    return until('the caller is connected', () => this.#channel, 30_000);
  }

  /** Connects to one node after the other, for as long as each lasts. */
  async #serve(): Promise<void> {
    for (let turn = 0; !this.#isClosed; turn += 1) {
      await this.#serveBy(this.#urls[turn % this.#urls.length] ?? '').catch(() => sleep(PAUSE_MS));
      this.#channel = undefined;
    }
  }

  async #serveBy(url: string): Promise<void> {
    const connection = await connect(`${url}?heartbeat=5`, { timeout: CONNECT_TIMEOUT_MS });
    let isLost = false;
    let isRenewed = false;
    this.#renew = () => (isRenewed = true);
    connection.on('error', () => undefined);
    connection.on('close', () => (isLost = true));
    try {
      if (!this.#isPaused) await within(ANSWER_TIMEOUT_MS, 'the consumer', this.#consume(connection));
      const channel = await within(ANSWER_TIMEOUT_MS, 'a channel', connection.createConfirmChannel());
      channel.on('error', () => undefined);
      this.#channel = channel;
      for (const command of this.#unconfirmed) this.#send(command);
      const isLeftOut = this.#lookout(channel);
      while (
        !isLost &&
        !isRenewed &&
        !this.#isClosed &&
        !(await this.#isUnheard(() => isLost)) &&
        !(await isLeftOut())
      ) {
        await sleep(PAUSE_MS);
      }
    } finally {
      if (!isLost) await closeConnection(connection, CLOSE_TIMEOUT_MS);
    }
  }

  /** On a channel that publishes nothing: one that hangs on a command keeps the replies that it was given. */
  async #consume(connection: ChannelModel): Promise<void> {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    await channel.assertQueue(this.replyQueue, {
      durable: true,
      arguments: { 'x-queue-type': 'quorum', ...this.#options.queueArguments },
    });
    await channel.consume(this.replyQueue, (message) =>
      message ? this.#see(channel, message) : void this.#renew(),
    );
  }

  #send(command: Command): void {
    const { type, id, content, confirmed } = command;
    const { exchange, routingKey } = this.#speech.addressOf(type);
    const options = { replyTo: this.replyQueue, messageId: id, correlationId: id, persistent: true };
    if (!this.#channel) return;
    this.#options.onPublish?.(id);
    try {
      this.#channel.publish(exchange, routingKey, content, options, (error: unknown) => {
        if (error) return;
        this.#confirmTimeoutMs = FIRST_CONFIRM_TIMEOUT_MS;
        this.#unconfirmed.delete(command);
        confirmed();
      });
    } catch {
      // The channel has just closed; the next one publishes it.
    }
  }

  /** Whether the oldest command stays unconfirmed for too long. */
  async #isUnheard(isLost: () => boolean): Promise<boolean> {
    const [oldest] = this.#unconfirmed;
    const untilMs = performance.now() + this.#confirmTimeoutMs;
    while (oldest && !isLost() && this.#unconfirmed.has(oldest)) {
      if (performance.now() > untilMs) {
        this.#confirmTimeoutMs = Math.min(2 * this.#confirmTimeoutMs, LONGEST_CONFIRM_TIMEOUT_MS);
        return true;
      }
      await sleep(PAUSE_MS);
    }
    return false;
  }

  /** Whether replies wait in the queue at two checks in a row, and none arrived between them. */
  #lookout(channel: ConfirmChannel): () => Promise<boolean> {
    let lookedAtMs = performance.now();
    let seenSoFar: number | undefined;
    return async () => {
      if (this.#isPaused || performance.now() < lookedAtMs + LOOK_MS) return false;
      lookedAtMs = performance.now();
      const looked = channel.checkQueue(this.replyQueue);
      const { messageCount } = await within(ANSWER_TIMEOUT_MS, 'a look at the reply queue', looked);
      const isLeftOut = messageCount > 0 && seenSoFar === this.seen.length;
      seenSoFar = messageCount > 0 ? this.seen.length : undefined;
      return isLeftOut;
    };
  }

  #see(channel: Channel, message: ConsumeMessage): void {
    const { correlationId, messageId, type } = message.properties;
    const reply: SeenReply = {
      atMs: Date.now(),
      isRedelivered: message.fields.redelivered,
      correlationId: String(correlationId),
      messageId: String(messageId),
      type: String(type),
      isFinal: this.#speech.isFinal(message),
      text: message.content.toString(),
    };
    this.seen.push(reply);
    this.#options.onReply?.(reply);
    try {
      channel.ack(message);
    } catch {
      // Its channel has just closed; it is redelivered.
    }
  }
}
