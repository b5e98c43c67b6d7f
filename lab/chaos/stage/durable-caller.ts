import { setTimeout as sleep } from 'node:timers/promises';

import type { Channel, ChannelModel, ConsumeMessage, MessageProperties } from 'amqplib';

import {
  BrokerConnection,
  ConfirmedPublisher,
  onChannel,
  QueueConsumer,
  UnconfirmedError,
  within,
} from '../../../libs/rabbitmq/src/index.ts';
import { uniquePrefix } from '../../../test/support/broker.ts';

const READY_TIMEOUT_MS = 30_000;
const ANSWER_TIMEOUT_MS = 5_000;
const PREFETCH = 250;
/** The pause before a command is published again, because a full queue rejects at once. */
const PAUSE_MS = 100;

/** A reply, received once or more often. */
export interface SeenReply {
  readonly atMs: number;
  /** True if the broker redelivered the reply because it had not received the acknowledgement. */
  readonly isRedelivered: boolean;
  readonly correlationId: string;
  readonly messageId: string;
  readonly type: string;
  readonly isFinal: boolean;
  readonly text: string;
}

export interface DurableCallerOptions {
  readonly queueArguments: Readonly<Record<string, unknown>>;
  /** Called for each publish of a command, which is repeated until the broker confirms it. */
  readonly onPublish: (id: string) => void;
  readonly onReply: (reply: SeenReply) => void;
}

/**
 * A caller that survives failures of a cluster. It publishes each command until the broker confirms it. It
 * has a durable reply queue of its own, and acknowledges each reply after recording it.
 */
export class DurableCaller implements AsyncDisposable {
  readonly replyQueue = `${uniquePrefix()}-replies`;
  readonly seen: SeenReply[] = [];
  readonly #options: DurableCallerOptions;
  readonly #prefix: string;
  readonly #publisher = new ConfirmedPublisher();
  readonly #publishing: BrokerConnection;
  readonly #consuming: BrokerConnection;
  #consumer: QueueConsumer | undefined;

  private constructor(urls: readonly string[], prefix: string, options: DurableCallerOptions) {
    this.#options = options;
    this.#prefix = prefix;
    this.#publishing = new BrokerConnection({
      urls,
      name: 'durable caller publishing',
      setUp: (model) => this.#publisher.attach(observed(model, options.onPublish)),
    });
    this.#consuming = new BrokerConnection({ urls, name: 'durable caller consuming' });
  }

  /** @param urls of the nodes, tried in turn */
  static async open(urls: readonly string[], prefix: string, options: DurableCallerOptions) {
    const caller = new DurableCaller(urls, prefix, options);
    const connections = [caller.#publishing, caller.#consuming];
    for (const connection of connections) connection.open();
    const opened = connections.map((connection) => connection.established());
    await within(READY_TIMEOUT_MS, 'the broker', Promise.all(opened));
    await caller.#ask((channel) => caller.#declare(channel));
    caller.resume();
    return caller;
  }

  /**
   * Resolves when the broker has confirmed the command, over as many connections as needed, or the caller is
   * closed.
   */
  async publish(type: string, id: string, body: object): Promise<void> {
    const message = {
      exchange: `${this.#prefix}.commands`,
      routingKey: type,
      content: Buffer.from(JSON.stringify(body)),
      mandatory: false,
      properties: { replyTo: this.replyQueue, messageId: id, correlationId: id, headers: {} },
    };
    while (this.#publishing.state.kind !== 'closed') {
      try {
        if ((await this.#publisher.publish(message)) === 'confirmed') return;
      } catch (error) {
        if (!(error instanceof UnconfirmedError)) throw error;
      }
      await sleep(PAUSE_MS);
    }
  }

  /** Stops reading replies until `resume`. */
  pause(): void {
    void this.#consumer?.drain(0);
    this.#consumer = undefined;
  }

  resume(): void {
    this.#consumer ??= new QueueConsumer({
      queue: this.replyQueue,
      prefetch: PREFETCH,
      handle: (delivery) => {
        this.#see(delivery.message);
        delivery.acknowledge();
        return Promise.resolve();
      },
    });
    this.#consumer.start(this.#consuming, () => this.#ask((channel) => this.#declare(channel)));
  }

  /** Deletes the reply queue with all messages; `resume` declares it again. */
  async deleteQueue(): Promise<void> {
    this.pause();
    await this.#ask((channel) => channel.deleteQueue(this.replyQueue));
  }

  async count(queue: string): Promise<number> {
    const { messageCount } = await this.#ask((channel) => channel.checkQueue(queue));
    return messageCount;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#consumer?.drain(0);
    this.#publisher.close();
    await Promise.all([this.#consuming.close(), this.#publishing.close()]);
  }

  async #ask<T>(work: (channel: Channel) => Promise<T>): Promise<T> {
    return onChannel(await this.#consuming.established(), ANSWER_TIMEOUT_MS, 'the reply queue', work);
  }

  async #declare(channel: Channel): Promise<void> {
    const args = { 'x-queue-type': 'quorum', ...this.#options.queueArguments };
    await channel.assertQueue(this.replyQueue, { durable: true, arguments: args });
  }

  #see(message: ConsumeMessage): void {
    const { correlationId, messageId, type } = message.properties;
    const reply: SeenReply = {
      atMs: Date.now(),
      isRedelivered: message.fields.redelivered,
      correlationId: String(correlationId),
      messageId: String(messageId),
      type: String(type),
      isFinal: message.properties.headers?.['final'] === true,
      text: message.content.toString(),
    };
    this.seen.push(reply);
    this.#options.onReply(reply);
  }
}

/** A connection whose confirm channels report every message that they publish. */
function observed(model: ChannelModel, onPublish: DurableCallerOptions['onPublish']): ChannelModel {
  const open = model.createConfirmChannel.bind(model);
  model.createConfirmChannel = async () => {
    const channel = await open();
    const raw = channel as unknown as { sendMessage(method: object, properties: MessageProperties): boolean };
    const send = raw.sendMessage.bind(raw);
    raw.sendMessage = (...message) => {
      onPublish(String(message[1].messageId));
      return send(...message);
    };
    return channel;
  };
  return model;
}
