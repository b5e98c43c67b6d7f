import { randomUUID } from 'node:crypto';

import { type Channel, type ChannelModel, connect, type ConsumeMessage, type Options } from 'amqplib';

import { drain } from './broker.ts';
import { WAIT_TIMEOUT_MS } from './until.ts';

export interface ReceivedReply {
  readonly type: string;
  readonly messageId: string;
  readonly correlationId: string;
  readonly properties: ConsumeMessage['properties'];
  readonly headers: Record<string, unknown>;
  readonly body: Record<string, unknown>;
  readonly text: string;
}

/** A command that waits for its final reply. */
interface Wait {
  readonly replies: ReceivedReply[];
  readonly resolve: (replies: ReceivedReply[]) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * A caller of the service, written independently of its code: plain amqplib and a reply queue of its own.
 * After it was disposed of, no promise rejects: a failed test leaves no rejection to later suites.
 */
export class BusCaller implements AsyncDisposable {
  readonly prefix: string;
  readonly connection: ChannelModel;
  readonly channel: Channel;
  readonly replyQueue: string;
  /** Every received reply, including repeats and late ones. */
  readonly received: ReceivedReply[] = [];
  readonly #waiting = new Map<string, Wait>();

  private constructor(prefix: string, connection: ChannelModel, channel: Channel, replyQueue: string) {
    this.prefix = prefix;
    this.connection = connection;
    this.channel = channel;
    this.replyQueue = replyQueue;
  }

  /** @param name of its reply queue; default: chosen by the broker */
  static async open(url: string, prefix: string, name = ''): Promise<BusCaller> {
    const connection = await connect(url, { noDelay: true });
    connection.on('error', () => undefined);
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    const { queue } = await channel.assertQueue(name, { exclusive: true });
    const caller = new BusCaller(prefix, connection, channel, queue);
    await channel.consume(queue, (message) => message && caller.#receive(message), { noAck: true });
    return caller;
  }

  publish(type: string, body: unknown, options: Options.Publish = {}): void {
    const content = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    this.channel.publish(`${this.prefix}.commands`, type, content, {
      replyTo: this.replyQueue,
      contentType: 'application/json',
      persistent: true,
      ...options,
    });
  }

  /** Sends a command and waits for its replies up to the final one. */
  send(type: string, body: unknown, options: Options.Publish = {}): Promise<ReceivedReply[]> {
    const correlationId = options.correlationId ?? randomUUID();
    const replies = this.repliesTo(correlationId);
    this.publish(type, body, { messageId: randomUUID(), ...options, correlationId });
    return replies;
  }

  /** Sends a command and waits for its reply, which must be the only one. */
  async sendForOne(type: string, body: unknown, options: Options.Publish = {}): Promise<ReceivedReply> {
    const replies = await this.send(type, body, options);
    const [reply] = replies;
    if (reply === undefined || replies.length > 1) throw new Error(`${replies.length} replies to ${type}`);
    return reply;
  }

  /** Resolves with the replies with a correlation id, up to the final one. Call it before sending. */
  repliesTo(correlationId: string, timeoutMs = WAIT_TIMEOUT_MS): Promise<ReceivedReply[]> {
    const { promise, resolve, reject } = Promise.withResolvers<ReceivedReply[]>();
    const replies: ReceivedReply[] = [];
    const timer = setTimeout(() => {
      this.#waiting.delete(correlationId);
      const types = JSON.stringify(replies.map(({ type }) => type));
      reject(new Error(`no final reply to ${correlationId} in time; so far ${types}`));
    }, timeoutMs).unref();
    this.#waiting.set(correlationId, { replies, resolve, timer });
    // If the test has failed by then, nothing awaits this promise.
    promise.catch(() => undefined);
    return promise;
  }

  /**
   * Declares a queue that accepts `length` messages and rejects further ones.
   *
   * @param exclusive true: for this connection only
   */
  async boundedQueue(length: number, exclusive = true): Promise<string> {
    const { queue } = await this.channel.assertQueue('', {
      exclusive,
      autoDelete: true,
      arguments: { 'x-max-length': length, 'x-overflow': 'reject-publish' },
    });
    return queue;
  }

  /** Removes and returns all messages of a queue. */
  async drain(queue: string): Promise<ConsumeMessage[]> {
    return (await drain(this.channel, queue)) as unknown as ConsumeMessage[];
  }

  /** Binds a queue of its own to the events exchange, and collects the events. */
  async events(pattern = '#'): Promise<ConsumeMessage[]> {
    const { queue } = await this.channel.assertQueue('', { exclusive: true });
    await this.channel.bindQueue(queue, `${this.prefix}.events`, pattern);
    const events: ConsumeMessage[] = [];
    await this.channel.consume(queue, (message) => message && events.push(message), { noAck: true });
    return events;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    await this.connection.close().catch(() => undefined);
  }

  #receive({ properties, content }: ConsumeMessage): void {
    const text = content.toString();
    const headers = properties.headers as Record<string, unknown>;
    const correlationId = String(properties.correlationId);
    const reply: ReceivedReply = {
      type: String(properties.type),
      messageId: String(properties.messageId),
      correlationId,
      properties,
      headers,
      body: JSON.parse(text) as Record<string, unknown>,
      text,
    };
    this.received.push(reply);
    const waiting = this.#waiting.get(correlationId);
    if (!waiting) return;
    waiting.replies.push(reply);
    if (headers['final'] !== true) return;
    clearTimeout(waiting.timer);
    this.#waiting.delete(correlationId);
    waiting.resolve(waiting.replies);
  }
}
