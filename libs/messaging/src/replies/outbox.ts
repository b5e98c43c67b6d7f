import { type BusNames, isFinalReplyType, type Reply } from '#contracts';
import { type Broker, type OutgoingMessage, type PublishOutcome, UnconfirmedError } from '#rabbitmq';
import type { Clock } from '#resilience';

import type { Command } from '../command/command.ts';
import { factsOf } from '../command/command-facts.ts';
import { LARGE_BYTES } from '../envelope/open-envelope.ts';
import type { MessagingSettings } from '../messaging-settings.ts';
import type {
  MessageKind,
  MessagingObserver,
  ParkingReason,
  QueueState,
} from '../observer/messaging-observer.ts';
import { type InternalKeys, sealed } from '../envelope/seal.ts';
import { ByteWindow } from './byte-window.ts';
import { eventMessage, replyMessage } from './reply-message.ts';
import { ReplyQueueClosed, type ReplyQueues, stallLeftMs } from './reply-queues.ts';

/**
 * How long a reply is retried before it is parked, or before its report releases its place. Source: bus
 * contract, section 5.
 */
const RETRY_MS = 1_000;
const COPY_RETRY_MS = 10_000;
/**
 * The bytes of all large copies that are published at once: replies to players follow them on the same
 * channel.
 */
const MAX_COPY_BYTES = 1024 * 1024;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;
/**
 * The bytes of announcements that one worker parks in a day, which is as long as they are kept. They must not
 * displace parked replies.
 */
const MAX_PARKED_ANNOUNCEMENTS = 16 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
const PARKED_BECAUSE: Readonly<Record<QueueState, ParkingReason>> = {
  full: 'REPLY_QUEUE_FULL',
  gone: 'REPLY_QUEUE_GONE',
  unreachable: 'REPLY_QUEUE_UNREACHABLE',
};

export interface OutboxOptions {
  readonly names: BusNames;
  readonly internalKeys: InternalKeys;
  readonly settings: Pick<
    MessagingSettings,
    'REPORTS_PREFETCH' | 'REPORTS_RETRY_DELAYS_MS' | 'REPORTS_STALL_MS'
  >;
  readonly observer: Pick<MessagingObserver, 'announcementDropped' | 'replyParked'>;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<unknown>;
}

type OutboxBroker = Pick<Broker, 'publish' | 'redeclare'>;

/** Publishes all messages of a command and waits for their confirms: replies, announcements and copies. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #broker: OutboxBroker;
  readonly #replyQueues: ReplyQueues;
  readonly #copies = new ByteWindow(MAX_COPY_BYTES);
  /** The reply queues that a report is retrying now, before it leaves for a retry queue. */
  readonly #tried = new Set<string>();
  #parkedAnnouncements = { bytes: 0, sinceMs: -Infinity };

  constructor(options: OutboxOptions, broker: OutboxBroker, replyQueues: ReplyQueues) {
    this.#options = options;
    this.#broker = broker;
    this.#replyQueues = replyQueues;
  }

  /**
   * Sends a reply while its handler runs; others may follow. A final reply whose queue does not exist is
   * parked.
   *
   * @throws ReplyQueueClosed if the queue does not accept it in time; UnconfirmedError if the broker does not
   *   confirm it
   */
  send(command: Command, reply: Reply): Promise<void> {
    return (command.replies.underWay = this.#sendWhileRunning(command, reply));
  }

  /**
   * Sends the reply that a command is settled with. If the queue does not accept it in time, it is parked.
   *
   * @throws UnconfirmedError if the broker confirms neither
   */
  async settle(command: Command, reply: Reply): Promise<void> {
    const known = this.#replyQueues.stateOf(command);
    const sending = await this.#send(command, reply, (message, outcome) =>
      known ? outcome : this.#tryAgain(command, 'reply', message, outcome, RETRY_MS),
    );
    if (!sending || (sending.outcome === 'returned' && command.envelope.cancelsWithQueue)) return;
    const refusal = await this.#replyQueues.refusalOf(command, sending.outcome, known);
    if (refusal.state !== 'gone') this.#replyQueues.refused(sending.message.routingKey, refusal);
    await this.#park(command, reply, sending.message, PARKED_BECAUSE[refusal.state]);
  }

  /**
   * Announces a final reply, once. An announcement that a listener's full queue refuses is parked, up to a
   * limit; the command does not wait for the listener.
   */
  async announce(command: Command, reply: Reply): Promise<void> {
    const message = eventMessage(command, reply, this.#options.names.events);
    const outcome = await this.#publish(command, 'event', message);
    if (outcome !== 'refused' && outcome !== 'unanswered') return;
    if (this.#mayParkAnnouncement(message.content.length))
      await this.#park(command, reply, message, 'EVENT_REFUSED');
    else this.#options.observer.announcementDropped(factsOf(command), reply.type);
  }

  /**
   * Publishes a copy of a command or a reply.
   *
   * @throws UnconfirmedError if the broker does not confirm it; the original must then stay unacknowledged
   */
  async copy(command: Command, copy: OutgoingMessage): Promise<void> {
    const message = sealed(copy, this.#options.internalKeys);
    const publish = () => this.#publish(command, 'copy', message);
    const { length } = message.content;
    const isWanted = (): boolean => command.delivery.isAlive;
    const isLarge = length > LARGE_BYTES;
    const first = await (isLarge ? this.#copies.publish(length, isWanted, publish) : publish());
    const outcome = await this.#tryAgain(command, 'copy', message, first, COPY_RETRY_MS);
    if (outcome !== 'confirmed')
      throw new UnconfirmedError(`The broker does not accept copies for ${copy.routingKey}.`);
  }

  async #sendWhileRunning(command: Command, reply: Reply): Promise<void> {
    const { replies, envelope } = command;
    const isFinal = isFinalReplyType(reply.type);
    const mostTried = Math.max(1, this.#options.settings.REPORTS_PREFETCH / 2);
    const sending = await this.#send(command, reply, async (message, outcome) => {
      const patienceMs = this.#patienceMs(command, outcome);
      replies.stalledSinceMs ??= command.nowMs();
      const { routingKey: queue } = message;
      // One report is enough to wait for a caller, and only a few reports may wait for all callers.
      if (patienceMs <= 0 || this.#tried.has(queue) || this.#tried.size >= mostTried) return outcome;
      this.#tried.add(queue);
      command.onStall?.();
      const trying = this.#tryAgain(command, 'reply', message, outcome, patienceMs);
      return trying.finally(() => this.#tried.delete(queue));
    });
    if (sending) {
      const { message, outcome } = sending;
      if (!isFinal || outcome !== 'returned' || envelope.cancelsWithQueue) {
        const refusal = await this.#replyQueues.refusalOf(command, outcome);
        this.#replyQueues.refused(message.routingKey, refusal);
        throw new ReplyQueueClosed(refusal.state);
      }
      await this.#park(command, reply, message, 'REPLY_QUEUE_GONE');
    }
    replies.stalledSinceMs = undefined;
    if (isFinal) replies.final = reply;
    else replies.sequence += 1;
  }

  /**
   * Publishes a reply, and retries as `retry` does if it is not confirmed.
   *
   * @returns the message and why its queue has not accepted it; undefined once it has, or without a reply
   *   queue
   */
  async #send(
    command: Command,
    reply: Reply,
    retry: (message: OutgoingMessage, outcome: PublishOutcome) => PublishOutcome | Promise<PublishOutcome>,
  ) {
    const { queue } = command.envelope.replyTo;
    if (queue === undefined) return undefined;
    const message = replyMessage(command, reply, queue);
    let outcome = await this.#publish(command, 'reply', message);
    if (outcome !== 'confirmed') outcome = await retry(message, outcome);
    if (outcome !== 'confirmed') return { message, outcome };
    this.#replyQueues.confirmed(queue);
    return undefined;
  }

  /**
   * Returns how long a page is retried here, in milliseconds: about a second if the queue accepted the
   * previous page, or the whole wait if no retry queue is that short. If the queue does not exist, or has
   * accepted nothing since an earlier run, the next run retries the page.
   */
  #patienceMs(command: Command, outcome: PublishOutcome): number {
    if (outcome === 'returned' && command.envelope.cancelsWithQueue) return 0;
    const [shortestMs = 0] = this.#options.settings.REPORTS_RETRY_DELAYS_MS;
    const remainingMs = command.deadline.remainingMs();
    const leftMs = Math.min(stallLeftMs(command, this.#options.settings), remainingMs);
    if (Math.min(this.#options.settings.REPORTS_STALL_MS, remainingMs) <= shortestMs) return leftMs;
    const isHopeful = outcome !== 'returned' && command.replies.stalledSinceMs === undefined;
    return isHopeful ? Math.min(RETRY_MS, leftMs) : 0;
  }

  /**
   * Republishes with growing pauses: a full queue may be read meanwhile, and one without a leader may elect
   * one.
   */
  async #tryAgain(
    command: Command,
    kind: MessageKind,
    message: OutgoingMessage,
    first: PublishOutcome,
    forMs: number,
  ): Promise<PublishOutcome> {
    const { clock, sleep } = this.#options;
    const untilMs = clock() + forMs;
    let outcome = first;
    const { cancelsWithQueue } = command.envelope;
    const endsIfGone = kind === 'reply' && (cancelsWithQueue || message.properties.headers['final'] === true);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const leftMs = untilMs - clock();
      if (outcome === 'confirmed' || (endsIfGone && outcome === 'returned') || leftMs <= 0) return outcome;
      // If the connection was just lost, the copy waits for the next one, which declares everything.
      if (kind === 'copy' && outcome === 'returned') await this.#broker.redeclare().catch(() => undefined);
      await sleep(Math.min(pauseMs, leftMs));
      outcome = await this.#publish(command, kind, message);
    }
  }

  /** Publishes a message as long as this worker holds the command, in a span if the command is traced. */
  #publish({ delivery, trace }: Command, kind: MessageKind, message: OutgoingMessage) {
    const isWanted = (): boolean => delivery.isAlive;
    if (trace === undefined) return this.#broker.publish(message, isWanted);
    return trace.publish(kind, message, (traced) => this.#broker.publish(traced, isWanted));
  }

  #mayParkAnnouncement(bytes: number): boolean {
    const nowMs = this.#options.clock();
    const isNewDay = nowMs - this.#parkedAnnouncements.sinceMs >= DAY_MS;
    if (isNewDay) this.#parkedAnnouncements = { bytes: 0, sinceMs: nowMs };
    this.#parkedAnnouncements.bytes += bytes;
    return this.#parkedAnnouncements.bytes <= MAX_PARKED_ANNOUNCEMENTS;
  }

  async #park(command: Command, reply: Reply, message: OutgoingMessage, reason: ParkingReason) {
    const { names, observer } = this.#options;
    const { exchange, routingKey, properties } = message;
    const headers = {
      ...properties.headers,
      'x-reason': reason,
      'x-failed-at': new Date(command.nowMs()).toISOString(),
      'x-origin-queue': exchange === '' ? routingKey : exchange,
    };
    const parked = { exchange: '', routingKey: names.undelivered, mandatory: true };
    await this.copy(command, { ...message, ...parked, properties: { ...properties, headers } });
    observer.replyParked(factsOf(command), reply.type, reason);
  }
}
