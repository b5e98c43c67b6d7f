import { setMaxListeners } from 'node:events';

import { busNames, LANE_OF_COMMAND } from '@poker-bridge/contracts';
import {
  alarmSentence,
  type BrokerConnection,
  type ConfirmedPublisher,
  NOT_FOUND,
  pause,
  PublishRefusedError,
  UnconfirmedError,
} from '@poker-bridge/rabbitmq';

import { CallerError } from './caller-error.ts';
import type { PreparedCommand, Sender } from './command.ts';
import { abortable, type Mailbox } from './replies.ts';
import type { ReplyQueue } from './reply-queue.ts';

/** A command that a worker has taken is answered by its deadline and one second; the rest is for the way. */
const ANSWER_SLACK_MS = 1_500;
/** Also before a command is published again that its lane refused: it is full, or has no leader. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** The longest delay that a Node.js timer takes, 24 days; beyond it, it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What the calls of one caller share. */
export interface Bus {
  readonly sender: Sender;
  readonly connection: BrokerConnection;
  readonly publisher: ConfirmedPublisher;
  readonly replyQueue: ReplyQueue;
  /** Aborts when the caller is closed. */
  readonly closing: AbortSignal;
}

/** One command on its way, sent as often as that can help, until its deadline, its signal or the end of the caller. */
export class Call implements Disposable {
  readonly #bus: Bus;
  readonly #command: PreparedCommand;
  readonly #limit = new AbortController();
  /** Aborts once the call waits no longer, with the reason. */
  readonly signal: AbortSignal = this.#limit.signal;
  readonly #deadline: number;
  readonly #timer: NodeJS.Timeout;
  #wasSent = false;
  /** Whether nothing has failed since it was sent. */
  #isAwaited = false;
  #failures = 0;

  /** @param outer ends the wait with its own reason */
  constructor(bus: Bus, command: PreparedCommand, deadlineMs: number, outer?: AbortSignal) {
    this.#bus = bus;
    this.#command = command;
    this.#deadline = performance.now() + deadlineMs;
    const delayMs = Math.min(deadlineMs + ANSWER_SLACK_MS, MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#limit.abort(this.#expired()), delayMs);
    for (const signal of [outer, bus.closing]) {
      if (!signal) continue;
      const leave = (): void => this.#limit.abort(signal.reason);
      if (signal.aborted) leave();
      // A caller may have as many calls under way as it likes; Node.js 20 takes eleven for a leak.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', leave, { signal: this.signal });
    }
  }

  /** What `read` makes of the next arrival; sends the command first, and again after each failure. @throws as both do */
  async next<Arrived extends object, T>(arrived: Mailbox<Arrived>, read: (one: Arrived) => T): Promise<T> {
    for (;;) {
      try {
        if (!this.#isAwaited) await this.publish();
        this.#isAwaited = true;
        return read(await arrived.next(this.signal));
      } catch (error) {
        this.#isAwaited = false;
        await this.#pauseAfter(error);
      }
    }
  }

  /**
   * Publishes the command, mandatory and confirmed, once replies can be received.
   *
   * @throws CallerError `NO_WORKER`, `NOT_PERMITTED`, `LOGIN_REFUSED`, `INSTANCE_TAKEN`; the signal's reason
   */
  async publish(): Promise<void> {
    const { id, exchange, routingKey, properties, body } = this.#command;
    const { connection, publisher, replyQueue } = this.#bus;
    const ownQueue = await replyQueue.ready(this.signal);
    const replyTo = properties.replyTo || ownQueue;
    const timestamp = Math.floor(Date.now() / 1_000);
    const stamped = { ...properties, replyTo, timestamp, headers: { ...properties.headers } };
    const content = Buffer.from(body);
    const message = { exchange, routingKey, mandatory: true, content, properties: stamped };
    for (;;) {
      const { state } = connection;
      if (state.kind === 'refused') throw CallerError.of('LOGIN_REFUSED', id, state.reason);
      try {
        const published = publisher.publish(message, () => !this.signal.aborted);
        const outcome = await abortable(published, this.signal);
        if (outcome === 'confirmed') break;
        if (outcome === 'returned') throw CallerError.of('NO_WORKER', id);
      } catch (error) {
        if (error instanceof PublishRefusedError) {
          throw CallerError.of(error.code === NOT_FOUND ? 'NO_WORKER' : 'NOT_PERMITTED', id, error.message);
        }
        if (!(error instanceof UnconfirmedError)) throw error;
      }
      await pause(FIRST_PAUSE_MS, this.signal);
    }
    this.#wasSent = true;
  }

  /** The call is over: it waits for nothing more, and no signal holds it. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#limit.abort();
  }

  /**
   * Waits before the command is sent again: what the worker asks for, and full jitter over twice as long at each failure.
   *
   * @throws the error, if sending again cannot help within the deadline; the signal's reason
   */
  async #pauseAfter(error: unknown): Promise<void> {
    this.signal.throwIfAborted();
    if (!(error instanceof CallerError) || !error.retryable) throw error;
    const longestMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    const pauseMs = (error.retryAfterMs ?? 0) + Math.random() * longestMs;
    this.#failures += 1;
    if (pauseMs >= this.#deadline - performance.now()) throw error;
    await pause(pauseMs, this.signal);
  }

  #expired(): CallerError {
    const { connection, replyQueue, sender } = this.#bus;
    const { id, routingKey } = this.#command;
    const { state, lastError = replyQueue.lastError } = connection;
    const lane = busNames(sender.prefix).lanes[LANE_OF_COMMAND[routingKey]];
    const hint = lastError === undefined ? `Is ${lane} served?` : `The last error: ${lastError}.`;
    const code = this.#wasSent ? 'NO_REPLY' : 'NOT_SENT';
    return CallerError.of(code, id, state.kind === 'blocked' ? alarmSentence(state.reason) : hint);
  }
}
