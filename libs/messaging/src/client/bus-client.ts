import { setTimeout as sleep } from 'node:timers/promises';

import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import type { TlsContext } from '#tls';
import { busNames, type BusNames, isCommandType, LANE_OF_COMMAND } from '#contracts';
import { closeWithin, ConfirmedPublisher, connectToAny, type PublishOutcome } from '#rabbitmq';

import { BusClientError, type BusClientFault } from './bus-client-error.ts';
import { type BusReply, readReply } from './bus-reply.ts';
import { ReplyStream } from './reply-stream.ts';

/** Replies under way to this caller; each may be a page of a report. */
const PREFETCH = 8;
/** Under way at once; each may have as many replies waiting as the prefetch allows all of them. */
const MAX_COMMANDS = 1_000;
const CLOSE_TIMEOUT_MS = 2_000;
const LOOK_TIMEOUT_MS = 1_000;
/** What the caller is told if the broker has not confirmed a command. */
const REFUSALS: Readonly<Record<PublishOutcome, readonly [BusClientFault, string] | undefined>> = {
  confirmed: undefined,
  returned: ['not-taken', 'The broker has no queue for the command.'],
  refused: ['not-taken', 'The broker refuses the command: its queue is full.'],
  unanswered: ['unreachable', 'No answer came: the broker has not confirmed the command.'],
};
/** A command that a worker has taken is answered by its deadline and one second; the rest is for the way. */
const ANSWER_SLACK_MS = 1_500;

export interface BusClientOptions {
  /** The nodes of one cluster. They hold a password. */
  readonly urls: readonly string[];
  /** Of `amqps` URLs. Default: what Node.js trusts, and no client certificate. */
  readonly tls?: TlsContext;
  readonly prefix: string;
  /** Who sends, for logs and traces. */
  readonly appId: string;
}

/** A command as it is sent. */
export interface BusCommand {
  readonly type: string;
  /** JSON, sent as it stands. */
  readonly text: string;
  /** The identity of the command, at most 200 bytes of UTF-8. */
  readonly id: string;
  /** Default: that of the worker. */
  readonly operator?: string | undefined;
  /** From now; nobody wants the answer any more after it. */
  readonly deadlineMs: number;
}

/**
 * A caller on the bus: it sends commands, each confirmed by the broker, and reads the replies from a queue of its own
 * that goes with the connection. It does not reconnect: the one who asked is told and can ask again under the same id.
 */
export class BusClient implements AsyncDisposable {
  readonly #streams = new Map<string, ReplyStream>();
  readonly #publisher = new ConfirmedPublisher();
  readonly #model: ChannelModel;
  readonly #channel: Channel;
  readonly #names: BusNames;
  readonly #user: string;
  readonly #appId: string;
  #replyQueue = '';

  private constructor(
    { model, user }: Awaited<ReturnType<typeof connectToAny>>,
    channel: Channel,
    { prefix, appId }: BusClientOptions,
  ) {
    this.#model = model;
    this.#user = user;
    this.#channel = channel;
    this.#names = busNames(prefix);
    this.#appId = appId;
  }

  /** @throws BrokerError, or BusClientError `no-exchange` if no worker has declared anything yet */
  static async open(options: BusClientOptions): Promise<BusClient> {
    const connection = await connectToAny(options.urls, { name: 'poker-bridge client', tls: options.tls });
    const { model } = connection;
    model.on('error', () => undefined);
    try {
      const channel = await model.createChannel();
      channel.on('error', () => undefined);
      const client = new BusClient(connection, channel, options);
      await client.#prepare();
      return client;
    } catch (error) {
      await closeWithin(CLOSE_TIMEOUT_MS, model);
      throw error;
    }
  }

  /**
   * Sends one command and gives its replies as they come, the final one last.
   *
   * @throws BusClientError `not-taken` if the broker refuses it or 1000 others are under way, `no-answer` past its deadline,
   *   `unreachable` if the connection is lost meanwhile
   */
  async *send(command: BusCommand): AsyncGenerator<BusReply, void> {
    if (this.#streams.size >= MAX_COMMANDS) {
      throw new BusClientError('not-taken', `This caller has ${MAX_COMMANDS} commands under way already.`);
    }
    const stream = new ReplyStream();
    this.#streams.set(command.id, stream);
    const waitMs = command.deadlineMs + ANSWER_SLACK_MS;
    const timer = setTimeout(() => void this.#giveUp(command, stream), waitMs);
    try {
      // A broker under an alarm confirms nothing: the deadline holds over that wait, too.
      this.#publish(command).catch((error: unknown) => stream.fail(error as Error));
      yield* stream.replies();
    } finally {
      clearTimeout(timer);
      this.#streams.delete(command.id);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#publisher.close();
    await closeWithin(CLOSE_TIMEOUT_MS, this.#model);
  }

  async #prepare(): Promise<void> {
    const channel = this.#channel;
    await this.#requireExchange();
    const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true });
    this.#replyQueue = queue;
    await channel.prefetch(PREFETCH);
    await channel.consume(queue, (message) => {
      if (!message) return this.#failAll('the broker has deleted the reply queue');
      const acknowledge = (): void => this.#acknowledge(message);
      const reply = readReply(message);
      const stream = this.#streams.get(reply.correlationId);
      if (stream) stream.push(reply, acknowledge);
      else acknowledge();
    });
    await this.#publisher.attach(this.#model, {
      state: { kind: 'open' },
      reset: (_, reason) => this.#failAll(reason),
    });
    channel.on('close', () => this.#failAll('the connection to the broker was lost'));
  }

  #acknowledge(message: ConsumeMessage): void {
    try {
      this.#channel.ack(message);
    } catch {
      // The channel has closed, and the queue is gone with it.
    }
  }

  #failAll(why: string): void {
    for (const stream of this.#streams.values()) {
      stream.fail(new BusClientError('unreachable', `No answer came: ${why}.`));
    }
  }

  async #requireExchange(): Promise<void> {
    const probe = await this.#model.createChannel();
    probe.on('error', () => undefined);
    try {
      await probe.checkExchange(this.#names.commands);
    } catch (error) {
      throw new BusClientError(
        'no-exchange',
        `The broker has no exchange ${this.#names.commands}: no worker with this AMQP_PREFIX has been there.`,
        { cause: error },
      );
    }
    await probe.close();
  }

  async #publish({ type, text, id, operator, deadlineMs }: BusCommand): Promise<void> {
    const nowMs = Date.now();
    const outcome = await this.#publisher.publish(
      {
        exchange: this.#names.commands,
        routingKey: type,
        content: Buffer.from(text),
        mandatory: true,
        properties: {
          type,
          messageId: id,
          correlationId: id,
          replyTo: this.#replyQueue,
          contentType: 'application/json',
          userId: this.#user,
          appId: this.#appId,
          timestamp: Math.floor(nowMs / 1_000),
          headers: {
            'x-deadline': new Date(nowMs + deadlineMs).toISOString(),
            ...(operator === undefined ? {} : { operator }),
          },
        },
      },
      () => this.#streams.has(id),
    );
    const refusal = REFUSALS[outcome];
    if (refusal) throw new BusClientError(...refusal);
  }

  async #giveUp({ type, deadlineMs }: BusCommand, stream: ReplyStream): Promise<void> {
    const lane = this.#names.lanes[isCommandType(type) ? LANE_OF_COMMAND[type] : 'interactive'];
    const hint = (await this.#consumersOf(lane)) === 0 ? ` No worker serves ${lane}.` : '';
    stream.fail(new BusClientError('no-answer', `No answer came within ${deadlineMs} ms.${hint}`));
  }

  /** How many workers take from a queue; `undefined` if that cannot be known. */
  async #consumersOf(queue: string): Promise<number | undefined> {
    const looked = this.#model.createChannel().then(async (probe) => {
      probe.on('error', () => undefined);
      return (await probe.checkQueue(queue)).consumerCount;
    });
    const late = sleep(LOOK_TIMEOUT_MS, undefined, { ref: false });
    return Promise.race([looked.catch(() => undefined), late]);
  }
}
