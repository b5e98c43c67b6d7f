import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Channel, type ChannelModel, connect, type ConsumeMessage } from 'amqplib';

import { type MixedCommand, mixedCommand, type SeenReply } from './mixed-commands.ts';

/** The results of all commands. Everything but `right` is a fault, once nothing is in flight any more. */
export interface SoakTally {
  /** A repeat counts, too: it is answered like the first. */
  readonly sent: number;
  readonly right: number;
  /** Answered by other replies than the right ones. */
  readonly wrong: number;
  /** Replies beyond the final one, or to what was never sent. */
  readonly beyond: number;
}

interface Sending {
  readonly command: MixedCommand;
  readonly replies: SeenReply[];
}

const TICK_MS = 5;
/** The delay of a repeat: the first is still in flight, or has just ended. */
const REPEAT_AFTER_MS = 15;

/** Sends mixed commands at a steady rate, and holds every reply against its command. */
export class SoakCaller implements AsyncDisposable {
  /** The first that were answered wrongly, for people. */
  readonly faults: string[] = [];
  /** Commands that break the contract, and so lie among the dead letters. */
  refused = 0;
  readonly #name = randomBytes(4).toString('hex');
  readonly #underWay = new Map<string, Sending>();
  readonly #counts = { sent: 0, right: 0, wrong: 0, beyond: 0 };
  #number = 0;
  readonly channel: Channel;
  readonly #prefix: string;
  readonly #connection: ChannelModel;
  readonly #replyQueue: string;

  private constructor(prefix: string, connection: ChannelModel, channel: Channel, replyQueue: string) {
    this.#prefix = prefix;
    this.#connection = connection;
    this.channel = channel;
    this.#replyQueue = replyQueue;
  }

  static async open(url: string, prefix: string): Promise<SoakCaller> {
    const connection = await connect(url);
    const channel = await connection.createChannel();
    const { queue } = await channel.assertQueue('', { exclusive: true });
    const caller = new SoakCaller(prefix, connection, channel, queue);
    await channel.consume(queue, (message) => message && caller.#receive(message), { noAck: true });
    return caller;
  }

  get tally(): SoakTally {
    return { ...this.#counts };
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** Sends until it is stopped; commands that could not be sent when they were due are sent then. */
  async send(perSecond: number, signal: AbortSignal): Promise<void> {
    const startedAtMs = performance.now();
    for (let due = 0; !signal.aborted; await sleep(TICK_MS)) {
      const wanted = ((performance.now() - startedAtMs) * perSecond) / 1_000;
      for (; due < wanted; due += 1) this.#sendNext();
    }
  }

  /** Waits until everything is answered, or nothing has come for so long. */
  async settle(patienceMs: number): Promise<void> {
    // The last repeats are sent by then.
    await sleep(2 * REPEAT_AFTER_MS);
    for (let seen = -1, quietMs = 0; this.underWay > 0 && quietMs < patienceMs; await sleep(TICK_MS)) {
      quietMs = this.#answered === seen ? quietMs + TICK_MS : 0;
      seen = this.#answered;
    }
  }

  get #answered(): number {
    return this.#counts.right + this.#counts.wrong;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close();
  }

  #sendNext(): void {
    const number = this.#number;
    this.#number += 1;
    const command = mixedCommand(number);
    this.#send(command, number, 'first');
    if (command.isRepeated) setTimeout(() => this.#send(command, number, 'again'), REPEAT_AFTER_MS);
  }

  #send(command: MixedCommand, number: number, which: 'first' | 'again'): void {
    const messageId = `${this.#name}-${number}`;
    const correlationId = `${messageId}-${which}`;
    this.#underWay.set(correlationId, { command, replies: [] });
    this.#counts.sent += 1;
    this.channel.publish(
      `${this.#prefix}.commands`,
      command.type,
      Buffer.from(JSON.stringify(command.data)),
      {
        messageId,
        correlationId,
        replyTo: this.#replyQueue,
        contentType: 'application/json',
        persistent: true,
      },
    );
  }

  #receive({ properties, content }: ConsumeMessage): void {
    const correlationId = String(properties.correlationId);
    const sending = this.#underWay.get(correlationId);
    if (!sending) {
      this.#counts.beyond += 1;
      return;
    }
    const { command, replies } = sending;
    const reply: SeenReply = {
      type: String(properties.type),
      sequence: Number(properties.headers?.['sequence']),
      isFinal: properties.headers?.['final'] === true,
      body: JSON.parse(content.toString()) as Record<string, unknown>,
    };
    replies.push(reply);
    if (!reply.isFinal) return;
    this.#underWay.delete(correlationId);
    const isRight = command.isAnsweredBy(replies);
    this.#counts[isRight ? 'right' : 'wrong'] += 1;
    if (reply.body['category'] === 'invalid') this.refused += 1;
    if (!isRight && this.faults.length < 5) this.faults.push(`${command.type} ${JSON.stringify(reply.body)}`);
  }
}
