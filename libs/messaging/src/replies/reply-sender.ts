import { CommandError, type Reply } from '#contracts';

import type { CommandInHand } from '../pipeline/command-in-hand.ts';
import type { ConfirmedPublisher, PublishOutcome } from '../publishing/confirmed-publisher.ts';
import type { OutgoingMessage } from '../publishing/outgoing-message.ts';
import { publishAgain } from '../publishing/publish-patiently.ts';
import type { DirectKeys } from './direct-keys.ts';
import { errorBodyOf } from './error-body-of.ts';
import { messageIdOf } from './message-id-of.ts';
import { replyMessage } from './reply-message.ts';
import type { Undelivered } from './undelivered.ts';

/** A cut of the line or a restart of the broker is seldom met so often by one reply. */
const TRIES_OF_A_KEY = 3;

export interface ReplySenderOptions {
  readonly publisher: ConfirmedPublisher;
  readonly directKeys: DirectKeys;
  readonly undelivered: Undelivered;
  /** How long a report waits for a reply queue that refuses (setting `REPORTS_STALL_MS`). */
  readonly stallMs: number;
  readonly nowMs: () => number;
}

/** Sends the replies of a command in sequence, each confirmed; what its queue does not take is kept. */
export class ReplySender {
  readonly #options: ReplySenderOptions;
  /** Commands whose direct key closes the connection. */
  readonly #unreachable = new WeakSet<CommandInHand>();

  constructor(options: ReplySenderOptions) {
    this.#options = options;
  }

  /**
   * Sends a reply that others follow.
   *
   * @throws CommandError `REPLY_QUEUE_FULL` where the queue refused it for too long
   */
  async sendPage(command: CommandInHand, page: Reply): Promise<void> {
    let outcome = await this.#publish(command, page);
    if (outcome === 'refused') outcome = await this.#publishAgain(command, page);
    if (outcome === 'refused') throw new CommandError('REPLY_QUEUE_FULL');
    if (outcome === 'returned') await this.#keep(command, page, 'REPLY_QUEUE_GONE');
    command.sequence += 1;
  }

  /** Sends the final reply; where the queue refuses it for too long, it is kept among the undelivered. */
  async sendFinal(command: CommandInHand, reply: Reply): Promise<void> {
    let outcome = await this.#publish(command, reply);
    // The queue may have refused for as long as it may already.
    const isStalled = reply.type === 'command.failed' && reply.data.code === 'REPLY_QUEUE_FULL';
    if (outcome === 'refused' && !isStalled) outcome = await this.#publishAgain(command, reply);
    if (outcome === 'returned') await this.#keep(command, reply, 'REPLY_QUEUE_GONE');
    if (outcome !== 'refused') return;
    const last = command.lane === 'reports' ? this.#stalled(command) : reply;
    await this.#keep(command, last, 'REPLY_QUEUE_FULL');
  }

  #publish(command: CommandInHand, reply: Reply): Promise<PublishOutcome> {
    const { replyTo } = command.envelope;
    if (replyTo.kind === 'none' || replyTo.kind === 'forbidden') return Promise.resolve('confirmed');
    const message = this.#message(command, reply, replyTo);
    if (replyTo.kind === 'direct') return this.#publishToKey(command, message);
    return this.#options.publisher.publish(message, () => command.delivery.isAlive);
  }

  #publishAgain(command: CommandInHand, reply: Reply): Promise<PublishOutcome> {
    return publishAgain(() => this.#publish(command, reply), this.#patience(command));
  }

  /**
   * RabbitMQ 3.10 closes the connection of whoever publishes to a direct key that it cannot read, or whose node has
   * left the cluster. Where that was not known beforehand, the key is given up, for the rest of its command too.
   */
  async #publishToKey(command: CommandInHand, message: OutgoingMessage): Promise<PublishOutcome> {
    const isReadable = this.#options.directKeys.isReadable(message.routingKey);
    if (isReadable !== true && !(await isReadable)) return 'returned';
    if (this.#unreachable.has(command)) return 'returned';
    let tries = 0;
    const isWanted = () => command.delivery.isAlive && (tries += 1) <= TRIES_OF_A_KEY;
    try {
      return await this.#options.publisher.publish(message, isWanted);
    } catch (error) {
      if (tries <= TRIES_OF_A_KEY) throw error;
      this.#unreachable.add(command);
      return 'returned';
    }
  }

  async #keep(
    command: CommandInHand,
    reply: Reply,
    reason: 'REPLY_QUEUE_GONE' | 'REPLY_QUEUE_FULL',
  ): Promise<void> {
    const { replyTo } = command.envelope;
    if (replyTo.kind === 'none' || replyTo.kind === 'forbidden') return;
    await this.#options.undelivered.keep(command, this.#message(command, reply, replyTo), reply.type, reason);
  }

  #message(command: CommandInHand, reply: Reply, address: { kind: 'queue' | 'direct'; queue: string }) {
    const { envelope, sequence } = command;
    const messageId = messageIdOf(envelope, reply, sequence);
    return replyMessage({ envelope, reply, sequence, messageId, nowMs: this.#options.nowMs() }, address);
  }

  /** A player's caller is waited for until the deadline, a report's until it has stalled. */
  #patience({ lane, deadline }: CommandInHand): () => number {
    if (lane === 'interactive') return () => deadline.remainingMs();
    const untilMs = this.#options.nowMs() + this.#options.stallMs;
    return () => Math.min(deadline.remainingMs(), untilMs - this.#options.nowMs());
  }

  #stalled(command: CommandInHand): Reply {
    const error = new CommandError('REPLY_QUEUE_FULL');
    return { type: 'command.failed', data: errorBodyOf(error, command, this.#options.nowMs()) };
  }
}
