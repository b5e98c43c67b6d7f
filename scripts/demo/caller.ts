import { randomUUID } from 'node:crypto';

import { type Channel, type ChannelModel, connect } from 'amqplib';

const TIMEOUT_MS = 20_000;

/** One reply, as it came. */
export interface DemoReply {
  readonly type: string;
  readonly afterMs: number;
  readonly body: Record<string, unknown>;
}

/** The least that a service needs to send commands: a reply queue, and a correlation id for each command. */
export class DemoCaller {
  readonly #connection: ChannelModel;
  readonly #channel: Channel;
  readonly #replyQueue: string;
  readonly #waiting = new Map<string, (reply: DemoReply, isFinal: boolean) => void>();

  private constructor(connection: ChannelModel, channel: Channel, replyQueue: string) {
    this.#connection = connection;
    this.#channel = channel;
    this.#replyQueue = replyQueue;
  }

  static async open(url: string): Promise<DemoCaller> {
    const connection = await connect(url, { noDelay: true });
    const channel = await connection.createChannel();
    const { queue } = await channel.assertQueue('', { exclusive: true });
    const caller = new DemoCaller(connection, channel, queue);
    await channel.consume(queue, (message) => {
      if (!message) return;
      const { headers } = message.properties;
      const type = String(message.properties.type);
      const correlationId = String(message.properties.correlationId);
      const body = JSON.parse(message.content.toString()) as Record<string, unknown>;
      caller.#waiting.get(correlationId)?.({ type, afterMs: Date.now(), body }, headers?.['final'] === true);
      channel.ack(message);
    });
    return caller;
  }

  /** Sends a command and waits for its final reply. */
  send(exchange: string, type: string, data: unknown): Promise<DemoReply[]> {
    const messageId = randomUUID();
    const sentAtMs = Date.now();
    const replies: DemoReply[] = [];
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no final reply to ${type} in time`)), TIMEOUT_MS);
      this.#waiting.set(messageId, (reply, isFinal) => {
        replies.push({ ...reply, afterMs: reply.afterMs - sentAtMs });
        if (!isFinal) return;
        clearTimeout(timer);
        this.#waiting.delete(messageId);
        resolve(replies);
      });
      this.#channel.publish(exchange, type, Buffer.from(JSON.stringify(data)), {
        messageId,
        correlationId: messageId,
        replyTo: this.#replyQueue,
        persistent: true,
      });
    });
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }
}
