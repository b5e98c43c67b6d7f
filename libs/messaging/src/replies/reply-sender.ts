import { CommandError, type Lane, type Reply } from '#contracts';

import type { Command } from '../command/command.ts';
import { publishFor } from '../command/publish-for.ts';
import { type ConfirmedPublisher, UnconfirmedError } from '../rabbitmq/publishing/confirmed-publisher.ts';
import type { PublishOutcome } from '../rabbitmq/publishing/confirming-channel.ts';
import type { OutgoingMessage } from '../rabbitmq/publishing/outgoing-message.ts';
import { isRefusal, retryPublish } from '../rabbitmq/publishing/publish-with-retry.ts';
import type { DirectKeys } from '../rabbitmq/release-3.10/index.ts';
import { errorBodyOf } from './error-body-of.ts';
import { messageIdOf } from './message-id-of.ts';
import { pageContent } from './page-content.ts';
import type { Parking } from './parking.ts';
import { type RefusalReason, RefusingQueues } from './refusing-queues.ts';
import { replyMessage } from './reply-message.ts';

/** A cut of the line or a restart of the broker is seldom met so often by one reply. */
const TRIES_OF_A_KEY = 3;
/** How long a player's reply is tried again before it is parked. Source: bus contract, section 5. */
const INTERACTIVE_RETRY_MS = 1_000;

type ReplyParkingReason = RefusalReason | 'REPLY_QUEUE_GONE';

export interface ReplySenderOptions {
  readonly publisher: ConfirmedPublisher;
  readonly directKeys: DirectKeys;
  readonly parking: Parking;
  /** How many messages lie in a queue; `undefined` if that cannot be asked. */
  readonly depthOf: (queue: string) => Promise<number | undefined>;
  /** How long a report waits for a reply queue that refuses (setting `REPORTS_STALL_MS`). */
  readonly stallMs: number;
  /** A command has come as far as a reply, which its queue may keep waiting. */
  readonly onReply: (lane: Lane) => void;
  readonly nowMs: () => number;
}

/** Sends the replies of a command in sequence, each confirmed; what its queue does not take is parked. */
export class ReplySender {
  readonly #options: ReplySenderOptions;
  readonly #refusing: RefusingQueues;

  constructor(options: ReplySenderOptions) {
    this.#options = options;
    this.#refusing = new RefusingQueues(options.nowMs);
  }

  /**
   * Sends a reply that others follow.
   *
   * @throws CommandError `REPLY_QUEUE_FULL` if the queue is full and refused it for too long
   * @throws UnconfirmedError if the queue could not be reached for as long
   */
  async sendPage(command: Command, page: Reply): Promise<void> {
    this.#options.onReply(command.lane);
    const content = await pageContent(command.envelope, page);
    let outcome = await this.#publish(command, page, content);
    if (isRefusal(outcome)) outcome = await this.#retry(command, page, outcome, content);
    if (isRefusal(outcome)) {
      const reason = await this.#reasonOf(command, outcome);
      if (reason === 'REPLY_QUEUE_FULL') throw new CommandError('REPLY_QUEUE_FULL');
      throw new UnconfirmedError('The reply queue cannot be reached.');
    }
    if (outcome === 'returned') await this.#park(command, page, 'REPLY_QUEUE_GONE', content);
    command.run.sequence += 1;
  }

  /**
   * Sends the final reply; if the queue does not take it in time, it is parked.
   *
   * @returns what was sent: a report whose queue is full for too long ends with that instead
   */
  async sendFinal(command: Command, reply: Reply): Promise<Reply> {
    this.#options.onReply(command.lane);
    const outcome = await this.#publish(command, reply);
    if (outcome === 'refused' || outcome === 'unanswered') return this.#finalRefused(command, reply, outcome);
    if (outcome === 'returned') await this.#park(command, reply, 'REPLY_QUEUE_GONE');
    return reply;
  }

  async #finalRefused(command: Command, reply: Reply, refusal: 'refused' | 'unanswered'): Promise<Reply> {
    const { lane, envelope } = command;
    const queue = 'queue' in envelope.replyTo ? envelope.replyTo.queue : '';
    // The queue may have refused for as long as it may already: this command's page, or another player's reply.
    const isStalled = reply.type === 'command.failed' && reply.data.code === 'REPLY_QUEUE_FULL';
    const known = lane === 'interactive' ? this.#refusing.reasonOf(queue) : undefined;
    const isTriedAgain = !isStalled && !known;
    const outcome = isTriedAgain ? await this.#retry(command, reply, refusal) : refusal;
    if (outcome === 'confirmed') return reply;
    const reason = known ?? (await this.#reasonOf(command, outcome));
    if (reason !== 'REPLY_QUEUE_GONE') this.#refusing.refused(queue, reason);
    const isCutShort = reason === 'REPLY_QUEUE_FULL' && lane === 'reports';
    const last = isCutShort ? this.#stalled(command) : reply;
    await this.#park(command, last, reason);
    return last;
  }

  #publish(command: Command, reply: Reply, content?: Buffer): Promise<PublishOutcome> {
    const { replyTo } = command.envelope;
    if (replyTo.kind === 'none' || replyTo.kind === 'forbidden') return Promise.resolve('confirmed');
    if (command.run.isParked) return Promise.resolve('returned');
    const message = this.#message(command, reply, replyTo, content);
    if (replyTo.kind === 'direct') return this.#publishToKey(command, message);
    return publishFor(command, 'reply', message, this.#options.publisher);
  }

  #retry(
    command: Command,
    reply: Reply,
    refusal: 'refused' | 'unanswered',
    content?: Buffer,
  ): Promise<PublishOutcome> {
    return retryPublish(() => this.#publish(command, reply, content), this.#remainingMs(command), refusal);
  }

  /**
   * RabbitMQ 3.10 closes the connection of whoever publishes to a direct key that it cannot read, or whose node has
   * left the cluster. If that was not known beforehand, the key is given up, for the rest of its command too.
   */
  async #publishToKey(command: Command, message: OutgoingMessage): Promise<PublishOutcome> {
    const isReadable = this.#options.directKeys.isReadable(message.routingKey, command.envelope.caller);
    if (isReadable !== true && !(await isReadable)) return 'returned';
    let tries = 0;
    const isWanted = () => command.delivery.isAlive && (tries += 1) <= TRIES_OF_A_KEY;
    try {
      return await publishFor(command, 'reply', message, this.#options.publisher, isWanted);
    } catch (error) {
      if (tries <= TRIES_OF_A_KEY) throw error;
      return 'returned';
    }
  }

  /** An empty queue is not full: a quorum queue that has no leader is said to be empty. */
  async #reasonOf(
    command: Command,
    outcome: Exclude<PublishOutcome, 'confirmed'>,
  ): Promise<ReplyParkingReason> {
    if (outcome === 'returned') return 'REPLY_QUEUE_GONE';
    if (outcome === 'unanswered') return 'REPLY_QUEUE_UNREACHABLE';
    const { replyTo } = command.envelope;
    const depth = replyTo.kind === 'queue' ? await this.#options.depthOf(replyTo.queue) : undefined;
    return depth === 0 ? 'REPLY_QUEUE_UNREACHABLE' : 'REPLY_QUEUE_FULL';
  }

  async #park(command: Command, reply: Reply, reason: ReplyParkingReason, content?: Buffer): Promise<void> {
    const { replyTo } = command.envelope;
    if (replyTo.kind === 'none' || replyTo.kind === 'forbidden') return;
    const message = this.#message(command, reply, replyTo, content);
    await this.#options.parking.park(command, message, reply.type, reason);
    command.run.isParked = true;
  }

  #message(
    command: Command,
    reply: Reply,
    address: { kind: 'queue' | 'direct'; queue: string },
    content?: Buffer,
  ): OutgoingMessage {
    const { envelope, run } = command;
    const { sequence } = run;
    const messageId = messageIdOf(envelope, reply, sequence);
    const facts = { envelope, reply, sequence, messageId, nowMs: this.#options.nowMs() };
    return replyMessage(facts, address, content);
  }

  /** A player's reply is soon parked, so that nobody else waits for it; a report waits until it has stalled. */
  #remainingMs({ lane, deadline }: Command): () => number {
    const { nowMs, stallMs } = this.#options;
    const untilMs = nowMs() + (lane === 'interactive' ? INTERACTIVE_RETRY_MS : stallMs);
    if (lane === 'interactive') return () => untilMs - nowMs();
    return () => Math.min(deadline.remainingMs(), untilMs - nowMs());
  }

  #stalled(command: Command): Reply {
    const error = new CommandError('REPLY_QUEUE_FULL');
    return { type: 'command.failed', data: errorBodyOf(error, command, this.#options.nowMs()) };
  }
}
