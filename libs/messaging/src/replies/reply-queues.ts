import type { Broker, PublishOutcome } from '#rabbitmq';
import { setBounded } from '#rabbitmq/collections';
import type { Clock } from '#resilience';

import type { Command } from '../command/command.ts';
import type { MessagingSettings } from '../messaging-settings.ts';
import type { QueueState } from '../observer/messaging-observer.ts';

/** How long replies to a queue that has refused one are published only once. */
const REMEMBERED_MS = 5_000;
/** Beyond this number the oldest is forgotten, and replies to it are retried for longer again. */
const MAX_REMEMBERED = 1_000;

/** The reply queue accepted nothing for as long as a report may hold its place. */
export class ReplyQueueClosed extends Error {
  override readonly name = 'ReplyQueueClosed';

  constructor(readonly state: QueueState) {
    super(`The reply queue is ${state}.`);
  }
}

/** Returns how much longer a report may wait for its reply queue, over all of its runs, in milliseconds. */
export function stallLeftMs(
  { replies, nowMs }: Command,
  { REPORTS_STALL_MS }: Pick<MessagingSettings, 'REPORTS_STALL_MS'>,
): number {
  return REPORTS_STALL_MS - (nowMs() - (replies.stalledSinceMs ?? nowMs()));
}

interface Refusal {
  readonly state: QueueState;
  /** The depth of the queue at that time, if known. While it is as deep, nobody has read from it. */
  readonly messages?: number | undefined;
}

/**
 * Remembers the reply queues that have refused a reply for as long as one is retried. Further replies to them
 * are published once, and reports for them wait without a call, so that in-flight commands do not wait for
 * one caller.
 */
export class ReplyQueues {
  readonly #clock: Clock;
  readonly #broker: Pick<Broker, 'standingOf'>;
  readonly #refusals = new Map<string, Refusal & { readonly untilMs: number }>();

  constructor(clock: Clock, broker: Pick<Broker, 'standingOf'>) {
    this.#clock = clock;
    this.#broker = broker;
  }

  /**
   * Returns why the reply queue of a command is known to accept nothing; undefined if it may accept replies.
   */
  stateOf({ envelope: { replyTo } }: Command): QueueState | undefined {
    const refusal = this.#refusals.get(replyTo.queue ?? '');
    return refusal && refusal.untilMs > this.#clock() ? refusal.state : undefined;
  }

  /**
   * The same for a report that may have waited for its queue before. The broker then tells whether the queue
   * still does not exist or is as full as before, so that the report makes no useless call and occupies no
   * place.
   */
  checkedStateOf(command: Command): QueueState | Promise<QueueState | undefined> | undefined {
    const known = this.stateOf(command);
    return known ?? (command.replies.stalledSinceMs === undefined ? undefined : this.#check(command));
  }

  /** Returns the state of a command's reply queue at the broker, if the reply address is a queue. */
  async standingOf({ envelope: { replyTo } }: Command): ReturnType<Broker['standingOf']> {
    return replyTo.kind === 'queue' ? this.#broker.standingOf(replyTo.queue) : undefined;
  }

  /**
   * Returns why a command's reply queue refused a reply. An empty queue is not full: the broker reports a
   * quorum queue without a leader as empty.
   */
  async refusalOf(command: Command, outcome: PublishOutcome, known?: QueueState): Promise<Refusal> {
    if (outcome === 'returned') return { state: 'gone' };
    if (outcome === 'unanswered') return { state: 'unreachable' };
    if (known !== undefined) return { state: known };
    const found = await this.standingOf(command);
    const messages = typeof found === 'object' ? found.messageCount : undefined;
    return messages === 0 ? { state: 'unreachable' } : { state: 'full', messages };
  }

  refused(queue: string, refusal: Refusal): void {
    const untilMs = this.#clock() + REMEMBERED_MS;
    setBounded(this.#refusals, queue, { ...refusal, untilMs }, MAX_REMEMBERED);
  }

  confirmed(queue: string): void {
    this.#refusals.delete(queue);
  }

  async #check(command: Command): Promise<QueueState | undefined> {
    const found = await this.standingOf(command);
    if (found === 'gone') return found;
    const { messages } = this.#refusals.get(command.envelope.replyTo.queue ?? '') ?? {};
    return typeof found === 'object' && messages !== undefined && found.messageCount >= messages
      ? 'full'
      : undefined;
  }
}
