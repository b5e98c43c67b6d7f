import { setTimeout as sleep } from 'node:timers/promises';

import { CallerError } from './caller-error.ts';
import { type BusReply, commandIdOf, readReply, type ReplyDelivery } from './reply.ts';

/** The number of reply ids remembered for detecting repeats; about 100 bytes each. */
const MAX_REMEMBERED = 10_000;
/**
 * A failed handler, most likely because of its database, is called again after one second, then two, four and
 * so on.
 */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/**
 * Replies that may wait longer than the first pause: half of the prefetch, so that calls still receive their
 * replies.
 */
const MAX_PAUSED = 32;

/**
 * Handles a reply that no call awaits. The reply is acknowledged when the handler resolves. If it rejects,
 * the reply is redelivered after one second, with a delay that doubles each time, up to a minute.
 */
export type ReplyHandler = (reply: BusReply) => Promise<void> | void;

/**
 * Waits for `work` until the signal aborts; the work itself continues.
 *
 * @throws the signal's reason; the errors of `work`
 */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** A queue of the items received for one call. */
export class Mailbox<T extends object> {
  readonly #arrived: (T | Error)[] = [];
  #wake = (): void => undefined;

  put(item: T | Error): void {
    this.#arrived.push(item);
    this.#wake();
  }

  /** Returns the next item. @throws the error, if one is next in the queue; the signal's reason */
  async next(signal: AbortSignal): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      const item = this.#arrived.shift();
      if (item instanceof Error) throw item;
      if (item) return item;
      await abortable(new Promise<void>((resolve) => (this.#wake = resolve)), signal);
    }
  }
}

/** Calls a hook of the service. Errors that it throws become process warnings. */
export function notify<T>(hook: ((event: T) => void) | undefined, event: T): void {
  try {
    hook?.(event);
  } catch (error) {
    process.emitWarning(String(error));
  }
}

function warn({ message, code }: CallerError): void {
  process.emitWarning(message, { type: 'PokerBridgeWarning', code });
}

/**
 * Dispatches the replies in the queue of this instance to the calls that await them, or else to the handler.
 */
export class Replies {
  readonly #handler: ReplyHandler;
  readonly #onUnreadable: (error: CallerError) => void;
  readonly #awaited = new Map<string, Mailbox<BusReply>>();
  /** Ids of the last replies passed to a call or to the handler, oldest first. */
  readonly #handled = new Set<string>();
  /** The number of handler failures, for each reply that was not handled yet. */
  readonly #failures = new Map<string, number>();
  readonly #pause: (ms: number) => Promise<unknown>;
  #paused = 0;

  constructor(
    handler: ReplyHandler = () => undefined,
    onUnreadable: (error: CallerError) => void = warn,
    pause = (ms: number): Promise<unknown> => sleep(ms, undefined, { ref: false }),
  ) {
    this.#handler = handler;
    this.#onUnreadable = onUnreadable;
    this.#pause = pause;
  }

  /** Returns the mailbox for the replies to a command, until `forget` is called. */
  expect(commandId: string): Mailbox<BusReply> {
    const mailbox = new Mailbox<BusReply>();
    this.#awaited.set(commandId, mailbox);
    return mailbox;
  }

  forget(commandId: string): void {
    this.#awaited.delete(commandId);
  }

  /** Makes every call resend its command, because another process now uses the queue for its replies. */
  lose(): void {
    for (const [id, mailbox] of this.#awaited) mailbox.put(CallerError.of('REPLY_LOST', id));
  }

  /**
   * Processes a delivery.
   *
   * @throws Error if the handler fails, after a pause, so that the reply is redelivered
   */
  async take(delivery: ReplyDelivery): Promise<void> {
    const mailbox = this.#awaited.get(commandIdOf(delivery.message));
    let reply: BusReply | CallerError;
    try {
      reply = readReply(delivery.message);
    } catch (error) {
      reply = error as CallerError;
    }
    mailbox?.put(reply);
    // An unreadable message is acknowledged as well; otherwise the broker would redeliver it forever.
    if (reply instanceof CallerError) notify(this.#onUnreadable, reply);
    else await this.#handle(reply, mailbox ? () => undefined : this.#handler);
    delivery.acknowledge();
  }

  async #handle(reply: BusReply, handler: ReplyHandler): Promise<void> {
    if (this.#handled.has(reply.id)) return;
    // Added before the handler runs, so that repeats that arrive meanwhile are discarded as well.
    this.#handled.add(reply.id);
    forgetOldest(this.#handled);
    try {
      await handler(reply);
      this.#failures.delete(reply.id);
    } catch (error) {
      this.#handled.delete(reply.id);
      await this.#pauseAfterFailure(reply.id);
      throw error;
    }
  }

  async #pauseAfterFailure(id: string): Promise<void> {
    const failures = this.#failures.get(id) ?? 0;
    this.#failures.set(id, failures + 1);
    forgetOldest(this.#failures);
    const pauseMs = FIRST_PAUSE_MS * 2 ** failures;
    const longestMs = this.#paused < MAX_PAUSED ? LONGEST_PAUSE_MS : FIRST_PAUSE_MS;
    this.#paused += 1;
    await this.#pause(Math.min(pauseMs, longestMs));
    this.#paused -= 1;
  }
}

function forgetOldest(remembered: Set<string> | Map<string, unknown>): void {
  const [oldest = ''] = remembered.keys();
  if (remembered.size > MAX_REMEMBERED) remembered.delete(oldest);
}
