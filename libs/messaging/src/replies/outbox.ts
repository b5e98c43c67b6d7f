import type { BusNames, Reply } from '#contracts';
import {
  type ConfirmedPublisher,
  type DirectReplies,
  type OutgoingMessage,
  type PublishOutcome,
  UnconfirmedError,
} from '#rabbitmq';
import type { Clock } from '#resilience';

import type { Command } from '../command/command.ts';
import { factsOf } from '../command/facts.ts';
import type { ReplyAddress } from '../envelope/envelope.ts';
import { type HeaderSeal, ORIGIN_QUEUE, REASON } from '../envelope/own-headers.ts';
import type { MessageKind } from '../observer/command-tracer.ts';
import type { MessagingObserver, ParkingReason } from '../observer/messaging-observer.ts';
import { type QueueState, RefusingQueues } from './refusing-queues.ts';
import {
  eventMessage,
  type EventPolicy,
  isAnnounced,
  isFinal,
  pageContent,
  type ReplyFacts,
  replyMessage,
} from './reply-message.ts';

/** How long a reply is tried again before it is parked, or its report gives its place back. Source: bus contract, section 5. */
const RETRY_MS = 1_000;
const COPY_RETRY_MS = 10_000;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

type Reachable = Extract<ReplyAddress, { kind: 'queue' | 'direct' }>;
type NotTaken = Exclude<PublishOutcome, 'confirmed'>;

/** The reply queue took nothing for as long as a report may hold its place. */
export class ReplyQueueClosed extends Error {
  override readonly name = 'ReplyQueueClosed';
  readonly state: QueueState;

  constructor(state: QueueState) {
    super(`The reply queue is ${state}.`);
    this.state = state;
  }
}

export interface OutboxOptions {
  readonly names: BusNames;
  readonly publisher: Pick<ConfirmedPublisher, 'publish'>;
  readonly directReplies: Pick<DirectReplies, 'publish'>;
  readonly seal: HeaderSeal;
  readonly settings: {
    readonly EVENTS: EventPolicy;
    readonly REPORTS_STALL_MS: number;
    readonly REPORTS_RETRY_DELAYS_MS: readonly number[];
  };
  /** Declares the topology again, if a queue of it has gone. */
  readonly redeclare: () => Promise<void>;
  /** How many messages lie in a queue; `undefined` if that cannot be asked. */
  readonly depthOf: (queue: string) => Promise<number | undefined>;
  readonly observer: MessagingObserver;
  /** Names this worker in announcements. */
  readonly worker: string;
  readonly nowMs: () => number;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** Publishes all that a command leads to, each message confirmed: replies, announcements and copies. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #refusing: RefusingQueues;
  /** The reply queues that a report tries again, and so holds its place for. */
  readonly #tried = new Set<string>();

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#refusing = new RefusingQueues(options.clock);
  }

  /** Why the reply queue of a command is known to take nothing; `undefined` if it may. */
  stateOfQueue({ envelope: { replyTo } }: Command): QueueState | undefined {
    return 'queue' in replyTo ? this.#refusing.stateOf(replyTo.queue) : undefined;
  }

  /** Whether another report holds its place for the reply queue of a command. */
  isTried({ envelope: { replyTo } }: Command): boolean {
    return 'queue' in replyTo && this.#tried.has(replyTo.queue);
  }

  /**
   * Sends a reply while its handler runs; others may follow. A final one whose queue is gone is parked.
   *
   * @throws ReplyQueueClosed if the queue does not take it in time
   * @throws UnconfirmedError if the broker does not confirm it
   */
  send(command: Command, reply: Reply): Promise<void> {
    const { replies } = command;
    replies.underWay = this.#sendInTurn(command, reply);
    return replies.underWay;
  }

  /** Sends the reply that a command is settled with; if the queue does not take it in time, it is parked. */
  settle(command: Command, reply: Reply): Promise<void> {
    const { replyTo } = command.envelope;
    if (!('queue' in replyTo)) return Promise.resolve();
    return this.#publishReply(command, reply, replyTo).then((outcome) =>
      outcome === 'confirmed'
        ? this.#refusing.took(replyTo.queue)
        : this.#settleRefused(command, reply, replyTo, outcome),
    );
  }

  async #settleRefused(command: Command, reply: Reply, replyTo: Reachable, refusal: NotTaken): Promise<void> {
    let outcome: PublishOutcome = refusal;
    const known = this.#refusing.stateOf(replyTo.queue);
    const isTriedAgain = !known && outcome !== 'returned';
    if (isTriedAgain)
      outcome = await this.#tryAgain(outcome, RETRY_MS, isNotGone, () =>
        this.#publishReply(command, reply, replyTo),
      );
    if (outcome !== 'confirmed')
      await this.#park(command, reply, replyTo, await this.#stateOf(outcome, replyTo, known));
  }

  /** Whether the policy has a final reply announced. */
  announces(reply: Reply): boolean {
    return isAnnounced(reply, this.#options.settings.EVENTS);
  }

  /** Announces a final reply, once: what the full queue of a listener refuses is parked, and nobody waits for it. */
  async announce(command: Command, reply: Reply): Promise<void> {
    const { names, worker, nowMs } = this.#options;
    const { operator, attempts } = factsOf(command, nowMs());
    const facts = { ...this.#factsOf(command, reply), worker, operator, attempts };
    const message = eventMessage(names.events, facts);
    const outcome = await this.#publish(command, 'event', message);
    if (outcome === 'refused' || outcome === 'unanswered') {
      await this.#keep(command, message, reply, 'EVENT_REFUSED');
    }
  }

  /** @throws UnconfirmedError if the copy could not be kept; the original must then stay unacknowledged */
  async copy(command: Command, copy: OutgoingMessage): Promise<void> {
    const message = this.#options.seal.seal(copy);
    const publish = async (): Promise<PublishOutcome> => {
      const outcome = await this.#publish(command, 'copy', message);
      // If the connection has just gone, the copy waits for the next one, which declares everything.
      if (outcome === 'returned') await this.#options.redeclare().catch(() => undefined);
      return outcome;
    };
    const outcome = await publish();
    if (outcome === 'confirmed') return;
    if ((await this.#tryAgain(outcome, COPY_RETRY_MS, () => true, publish)) === 'confirmed') return;
    throw new UnconfirmedError(`The broker does not take copies for ${copy.routingKey}.`);
  }

  async #sendInTurn(command: Command, reply: Reply): Promise<void> {
    const { envelope, replies } = command;
    const { replyTo } = envelope;
    if (!('queue' in replyTo)) return;
    const content = pageContent(envelope, reply);
    const publish = (): Promise<PublishOutcome> => this.#publishReply(command, reply, replyTo, content);
    const isWorthIt = (outcome: NotTaken): boolean => outcome !== 'returned' || !isFinal(reply);
    let outcome = await publish();
    if (outcome !== 'confirmed' && isWorthIt(outcome)) {
      replies.stalledSinceMs ??= this.#options.nowMs();
      outcome = await this.#tryAlone(command, replyTo, outcome, isWorthIt, publish);
    }
    if (outcome === 'confirmed') this.#refusing.took(replyTo.queue);
    else if (!isWorthIt(outcome)) await this.#park(command, reply, replyTo, 'gone');
    else {
      const state = await this.#stateOf(outcome, replyTo);
      this.#refusing.refused(replyTo.queue, state);
      throw new ReplyQueueClosed(state);
    }
    replies.stalledSinceMs = undefined;
    if (isFinal(reply)) replies.final = reply;
    else replies.sequence += 1;
  }

  /** Tries a queue again, if no other report does: one that waits for its caller is enough. */
  async #tryAlone(
    command: Command,
    { queue }: Reachable,
    outcome: NotTaken,
    isWorthIt: (outcome: NotTaken) => boolean,
    publish: () => Promise<PublishOutcome>,
  ): Promise<PublishOutcome> {
    if (this.#tried.has(queue)) return outcome;
    this.#tried.add(queue);
    try {
      return await this.#tryAgain(outcome, this.#patienceMs(command), isWorthIt, publish);
    } finally {
      this.#tried.delete(queue);
    }
  }

  /** How long a report holds its place for its queue: about a second, or the rest of its wait if no retry queue is that short. */
  #patienceMs({ replies, deadline }: Command): number {
    const { settings, nowMs } = this.#options;
    const [shortestMs = 0] = settings.REPORTS_RETRY_DELAYS_MS;
    const stalledMs = nowMs() - (replies.stalledSinceMs ?? nowMs());
    const leftMs = Math.min(settings.REPORTS_STALL_MS - stalledMs, deadline.remainingMs());
    return leftMs <= shortestMs ? leftMs : Math.min(RETRY_MS, leftMs);
  }

  /** Publishes again with growing pauses: a full queue may be read meanwhile, and one without a leader may get one. */
  async #tryAgain(
    outcome: NotTaken,
    forMs: number,
    isWorthIt: (outcome: NotTaken) => boolean,
    publish: () => Promise<PublishOutcome>,
  ): Promise<PublishOutcome> {
    const { clock, sleep } = this.#options;
    const untilMs = clock() + forMs;
    let last: PublishOutcome = outcome;
    for (let attempt = 1; last !== 'confirmed' && isWorthIt(last); attempt += 1) {
      const leftMs = untilMs - clock();
      if (leftMs <= 0) break;
      await sleep(Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS, leftMs));
      last = await publish();
    }
    return last;
  }

  #publishReply(command: Command, reply: Reply, to: Reachable, content?: Buffer): Promise<PublishOutcome> {
    const message = replyMessage(this.#factsOf(command, reply), to, content);
    const { publisher, directReplies } = this.#options;
    return this.#publish(command, 'reply', message, to.kind === 'direct' ? directReplies : publisher);
  }

  /** Publishes while the command is this worker's, traced if the command is. */
  #publish(
    { delivery, trace }: Command,
    kind: MessageKind,
    message: OutgoingMessage,
    publisher: Pick<DirectReplies, 'publish'> = this.#options.publisher,
  ): Promise<PublishOutcome> {
    const isWanted = (): boolean => delivery.isAlive;
    if (trace === undefined) return publisher.publish(message, isWanted);
    return trace.publish(kind, message, (traced) => publisher.publish(traced, isWanted));
  }

  #factsOf({ envelope, replies }: Command, reply: Reply): ReplyFacts {
    return { envelope, reply, sequence: replies.sequence, nowMs: this.#options.nowMs() };
  }

  /** An empty queue is not full: a quorum queue that has no leader is said to be empty. */
  async #stateOf(outcome: NotTaken, to: Reachable, known?: QueueState): Promise<QueueState> {
    if (outcome === 'returned') return 'gone';
    if (outcome === 'unanswered') return 'unreachable';
    if (known !== undefined) return known;
    const depth = to.kind === 'queue' ? await this.#options.depthOf(to.queue) : undefined;
    return depth === 0 ? 'unreachable' : 'full';
  }

  async #park(command: Command, reply: Reply, to: Reachable, state: QueueState): Promise<void> {
    if (state !== 'gone') this.#refusing.refused(to.queue, state);
    await this.#keep(command, replyMessage(this.#factsOf(command, reply), to), reply, PARKED_FOR[state]);
  }

  async #keep(
    command: Command,
    message: OutgoingMessage,
    reply: Reply,
    reason: ParkingReason,
  ): Promise<void> {
    const { names, observer, nowMs } = this.#options;
    const headers = {
      ...message.properties.headers,
      [REASON]: reason,
      'x-failed-at': new Date(nowMs()).toISOString(),
      [ORIGIN_QUEUE]: message.exchange === '' ? message.routingKey : message.exchange,
    };
    await this.copy(command, {
      ...message,
      exchange: '',
      routingKey: names.undelivered,
      mandatory: true,
      properties: { ...message.properties, headers },
    });
    observer.replyParked(factsOf(command, nowMs()), reply.type, reason);
  }
}

const PARKED_FOR = {
  full: 'REPLY_QUEUE_FULL',
  gone: 'REPLY_QUEUE_GONE',
  unreachable: 'REPLY_QUEUE_UNREACHABLE',
} as const satisfies Record<QueueState, ParkingReason>;

function isNotGone(outcome: NotTaken): boolean {
  return outcome !== 'returned';
}
