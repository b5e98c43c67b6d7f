import { setTimeout as sleep } from 'node:timers/promises';

import { CallerError } from './caller-error.ts';
import { type BusReply, commandIdOf, readReply, type ReplyDelivery } from './reply.ts';

/** Replies by which a repeat is recognised; some 100 bytes each. */
const MAX_REMEMBERED = 10_000;
/** A handler that failed, most likely for its database, is called again after a second, then after twice that, and so on. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Replies that may wait longer than the first pause; half of those that the broker delivers ahead, so that calls continue. */
const MAX_PAUSED = 32;

/**
 * Takes a reply that no call awaits. The reply is acknowledged when the handler resolves, and is delivered again after it
 * rejects: after a second, then twice as late each time, up to a minute.
 */
export type ReplyHandler = (reply: BusReply) => Promise<void> | void;

/** Waits for something until a signal aborts; the work itself continues. @throws the signal's reason; as the work does */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** What arrived for one call, the oldest first. */
export class Mailbox<T extends object> {
  readonly #arrived: (T | Error)[] = [];
  #wake = (): void => undefined;

  put(item: T | Error): void {
    this.#arrived.push(item);
    this.#wake();
  }

  /** @throws the error in an item's place; the signal's reason */
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

/** Calls a hook of the service. What it throws becomes a warning of the process. */
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

/** The replies in the queue of this instance: to the calls that await them, else to the handler. */
export class Replies {
  readonly #handler: ReplyHandler;
  readonly #onUnreadable: (error: CallerError) => void;
  readonly #awaited = new Map<string, Mailbox<BusReply>>();
  /** The last replies that were given to a call or to the handler, the oldest first. */
  readonly #handled = new Set<string>();
  /** How often the handler has failed, for each reply that it has not taken yet. */
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

  /** Returns where the replies to a command arrive until it is forgotten. */
  expect(commandId: string): Mailbox<BusReply> {
    const mailbox = new Mailbox<BusReply>();
    this.#awaited.set(commandId, mailbox);
    return mailbox;
  }

  forget(commandId: string): void {
    this.#awaited.delete(commandId);
  }

  /** Has every call send its command again: another process has the queue that replies were to come to. */
  lose(): void {
    for (const [id, mailbox] of this.#awaited) mailbox.put(CallerError.of('REPLY_LOST', id));
  }

  /** @throws Error if the handler fails, after a pause: the reply is to be delivered again */
  async take(delivery: ReplyDelivery): Promise<void> {
    const mailbox = this.#awaited.get(commandIdOf(delivery.message));
    let reply: BusReply | CallerError;
    try {
      reply = readReply(delivery.message);
    } catch (error) {
      reply = error as CallerError;
    }
    mailbox?.put(reply);
    // An unreadable message is acknowledged, too: the broker would redeliver it for ever.
    if (reply instanceof CallerError) notify(this.#onUnreadable, reply);
    else await this.#handle(reply, mailbox ? () => undefined : this.#handler);
    delivery.acknowledge();
  }

  async #handle(reply: BusReply, handler: ReplyHandler): Promise<void> {
    if (this.#handled.has(reply.id)) return;
    // A repeat that comes while it is handled is dropped as well.
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
