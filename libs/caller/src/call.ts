import { setMaxListeners } from 'node:events';

import { busNames, LANE_OF_COMMAND } from '@poker-bridge/contracts';
import { pause } from '@poker-bridge/rabbitmq';

import { CallerError } from './caller-error.ts';
import type { CallOptions, PreparedCommand, Sender } from './command.ts';
import type { Link } from './link.ts';
import { type Mailbox, notify, type Replies } from './replies.ts';
import type { CallEvent, Retries } from './retries.ts';

/** A worker answers a command within one second after its deadline; the rest is for transport. */
const ANSWER_SLACK_MS = 1_500;
/** The longest delay that a Node.js timer supports, 24 days; a longer one fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The state that all calls of one caller share. */
export interface Bus {
  readonly sender: Sender;
  readonly link: Link;
  readonly replies: Replies;
  readonly retries: Retries;
  /** The default retry rules of calls. */
  readonly retry: CallOptions['retry'];
  readonly onCall: ((event: CallEvent) => void) | undefined;
  /** Aborts when the caller is closed. */
  readonly closing: AbortSignal;
}

/**
 * One call of a command, with its retries, which ends at its deadline, by its signal or when the caller is
 * closed.
 */
export class Call implements Disposable {
  readonly #bus: Bus;
  readonly #command: PreparedCommand;
  readonly #limit = new AbortController();
  /** Aborts when the call stops waiting, with the reason. */
  readonly signal: AbortSignal = this.#limit.signal;
  readonly #startedMs = performance.now();
  readonly #deadline: number;
  readonly #rules: NonNullable<CallOptions['retry']>;
  readonly #timer: NodeJS.Timeout;
  #wasSent = false;
  /** The call whose request this call awaits. */
  #sender: Call | undefined;
  /** True if the command was sent and no failure has occurred since. */
  #isAwaited = false;
  #sentMs = 0;
  #attempts = 1;

  /** Starts the deadline. When the option `signal` aborts, the wait ends with its reason. */
  constructor(
    bus: Bus,
    command: PreparedCommand,
    deadlineMs: number,
    { signal: outer, retry = bus.retry ?? true }: Pick<CallOptions, 'signal' | 'retry'> = {},
  ) {
    this.#bus = bus;
    this.#command = command;
    this.#deadline = this.#startedMs + deadlineMs;
    this.#rules = retry;
    const delayMs = Math.min(deadlineMs + ANSWER_SLACK_MS, MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#limit.abort(this.#expired()), delayMs);
    for (const signal of [outer, bus.closing]) {
      if (!signal) continue;
      const leave = (): void => this.#limit.abort(signal.reason);
      if (signal.aborted) leave();
      // A caller may have any number of calls in flight, but Node.js warns of a leak from eleven listeners
      // on.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', leave, { signal: this.signal });
    }
  }

  /**
   * Sends the command if necessary, and returns `read` of the next item; resends after a retryable failure.
   *
   * @throws the errors of both
   */
  async next<Arrived extends object, T>(arrived: Mailbox<Arrived>, read: (one: Arrived) => T): Promise<T> {
    for (;;) {
      try {
        const isFirst = !this.#isAwaited;
        if (isFirst) await this.publish();
        this.#isAwaited = true;
        const result = read(await arrived.next(this.signal));
        if (isFirst) this.#bus.retries.succeeded(this.#command.routingKey, performance.now() - this.#sentMs);
        return result;
      } catch (error) {
        this.#isAwaited = false;
        await this.pauseAfter(error);
      }
    }
  }

  /** Publishes the command. @throws CallerError `NO_WORKER` and others; the signal's reason */
  async publish(): Promise<void> {
    await this.#bus.link.publish(this.#command, this.signal);
    this.#wasSent = true;
    this.#sentMs = performance.now();
  }

  /** Awaits the request of another call of the same command instead of its own. */
  follow(sender: Call): void {
    this.#sender = sender;
  }

  /** Reports the end of the call to `onCall`. */
  ended(outcome: 'succeeded' | 'failed', error?: unknown): void {
    this.#report(outcome, error);
  }

  /** Ends the call: clears its timer and its listeners on signals. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#limit.abort();
  }

  /** Waits before a retry. @throws the error if no retry is possible or in time; the signal's reason */
  async pauseAfter(error: unknown): Promise<void> {
    this.signal.throwIfAborted();
    if (!(error instanceof CallerError)) throw error;
    const pauseMs = this.#bus.retries.pauseMs({
      error,
      type: this.#command.routingKey,
      attempts: this.#attempts,
      remainingMs: this.#deadline - performance.now(),
      rules: this.#rules,
    });
    if (pauseMs === undefined) throw error;
    this.#report('retrying', error, pauseMs);
    this.#attempts += 1;
    await pause(pauseMs, this.signal);
  }

  #report(outcome: CallEvent['outcome'], error?: unknown, pauseMs?: number): void {
    const { routingKey: type, id: commandId } = this.#command;
    const durationMs = performance.now() - this.#startedMs;
    const code = error instanceof CallerError ? error.code : undefined;
    const attempts = this.#attempts;
    notify(this.#bus.onCall, { outcome, type, commandId, attempts, durationMs, code, pauseMs });
  }

  #expired(): CallerError {
    const { link, sender } = this.#bus;
    const { id, routingKey } = this.#command;
    const lane = busNames(sender.prefix).lanes[LANE_OF_COMMAND[routingKey]];
    const wasSent = this.#wasSent || (this.#sender ?? this).#wasSent;
    return CallerError.of(wasSent ? 'NO_REPLY' : 'NOT_SENT', id, link.fault ?? `Is ${lane} served?`);
  }
}
