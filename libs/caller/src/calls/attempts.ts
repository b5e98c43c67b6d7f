import { setMaxListeners } from 'node:events';

import { busNames, type CommandType, LANE_OF_COMMAND } from '@poker-bridge/contracts';
import { alarmSentence } from '@poker-bridge/rabbitmq';

import { pause } from '../bus/abortable.ts';
import type { PreparedCommand, Publisher } from '../bus/publisher.ts';
import type { ReplyQueue } from '../bus/reply-queue.ts';
import { CallerError } from '../errors/caller-error.ts';
import type { Replies } from '../replies/replies.ts';
import type { Sender } from './prepare-command.ts';

/** A command that a worker has taken is answered by its deadline and one second; the rest is for the way. */
const ANSWER_SLACK_MS = 1_500;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/** What the calls of one caller share. */
export interface Bus {
  readonly sender: Sender;
  readonly publisher: Publisher;
  readonly replies: Replies;
  readonly replyQueue: ReplyQueue;
  /** What the names of further reply queues begin with. */
  readonly queuePrefix: string;
  /** Aborts when the caller is closed. */
  readonly closing: AbortSignal;
}

/** Until when a call waits: its deadline, a signal of its own, and the end of the caller. */
export class CallLimit {
  readonly #controller = new AbortController();
  readonly #deadline: number;
  readonly #timer: NodeJS.Timeout;
  readonly #outer: readonly AbortSignal[];

  /**
   * @param expire the reason once the deadline has passed
   * @param outer ends the call with its own reason
   */
  constructor(deadlineMs: number, expire: () => Error, outer: readonly (AbortSignal | undefined)[]) {
    this.#deadline = performance.now() + deadlineMs;
    this.#timer = setTimeout(() => this.#controller.abort(expire()), deadlineMs + ANSWER_SLACK_MS);
    this.#outer = outer.filter((signal) => signal !== undefined);
    // A caller may have as many calls under way as it likes; Node.js 20 takes eleven for a leak.
    setMaxListeners(0, ...this.#outer);
    for (const signal of this.#outer) {
      if (signal.aborted) this.#controller.abort(signal.reason);
      signal.addEventListener('abort', this.#abort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Until the deadline; negative after it. */
  get remainingMs(): number {
    return this.#deadline - performance.now();
  }

  end(): void {
    clearTimeout(this.#timer);
    for (const signal of this.#outer) signal.removeEventListener('abort', this.#abort);
  }

  readonly #abort = ({ target }: Event): void => {
    this.#controller.abort((target as AbortSignal).reason);
  };
}

/** One command on its way, sent as often as that can help, for as long as its call waits. */
export class Attempts {
  readonly limit: CallLimit;
  readonly #bus: Bus;
  readonly #command: PreparedCommand;
  #isSent = false;
  #failures = 0;

  /** @param signal ends the wait */
  constructor(bus: Bus, command: PreparedCommand, deadlineMs: number, signal?: AbortSignal) {
    this.#bus = bus;
    this.#command = command;
    this.limit = new CallLimit(deadlineMs, () => this.#expired(), [signal, bus.closing]);
  }

  /**
   * Publishes the command.
   *
   * @param replyTo the queue to answer to; default: as it was prepared
   * @throws CallerError `NO_WORKER`, `NOT_PERMITTED`, `LOGIN_REFUSED`; the limit's reason
   */
  async publish(replyTo = this.#command.properties.replyTo): Promise<void> {
    await this.#bus.publisher.publish(this.#command, replyTo, this.limit.signal);
    this.#isSent = true;
  }

  /**
   * Waits before the command is sent again: what the worker asks for, and full jitter over twice as long at each failure.
   *
   * @throws what it failed with, if sending it again cannot help within its deadline; the limit's reason
   */
  async pauseAfter(error: unknown): Promise<void> {
    const { signal, remainingMs } = this.limit;
    signal.throwIfAborted();
    if (!(error instanceof CallerError) || !error.retryable) throw error;
    const longestMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    const pauseMs = (error.retryAfterMs ?? 0) + Math.random() * longestMs;
    this.#failures += 1;
    if (pauseMs >= remainingMs) throw error;
    await pause(pauseMs, signal);
  }

  #expired(): CallerError {
    const { publisher, replyQueue, sender } = this.#bus;
    const { id, routingKey } = this.#command;
    const { state, lastError = replyQueue.lastError } = publisher.connection;
    let hint = `Is ${busNames(sender.prefix).lanes[LANE_OF_COMMAND[routingKey as CommandType]]} served?`;
    if (state.kind === 'blocked') hint = alarmSentence(state.reason);
    else if (lastError !== undefined) hint = `The last error: ${lastError}.`;
    return CallerError.of(this.#isSent ? 'NO_REPLY' : 'NOT_SENT', id, hint);
  }
}
