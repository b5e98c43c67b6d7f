import { setTimeout as sleep } from 'node:timers/promises';

import { abortable } from '../bus/abortable.ts';
import type { ReplyDelivery } from '../bus/reply-queue.ts';
import { CallerError } from '../errors/caller-error.ts';
import { type BusReply, commandIdOf, type Message, readReply } from './reply.ts';

const MAX_CALLS = 10_000;
/** Replies by which a repeat is recognised; some 100 bytes each. */
const MAX_REMEMBERED = 10_000;
/** Before a handler that failed, most likely for its database, is called again. */
const HANDLER_PAUSE_MS = 1_000;

/**
 * Takes a reply that no call awaits: to a prepared command, to a call before a restart, or after its deadline. Once it
 * resolves the reply is acknowledged; if it rejects, it gets the reply again after a second.
 */
export type ReplyHandler = (reply: BusReply) => Promise<void> | void;

/** What one call awaits. */
export interface Awaited {
  /**
   * The next reply to the command, also of what is sent again.
   *
   * @throws the signal's reason; CallerError `REPLY_UNREADABLE`, `REPLY_LOST`
   */
  next(signal: AbortSignal): Promise<BusReply>;
  /** It awaits no more. */
  end(): void;
}

/** The replies in the queue of this instance: to the calls that await them, else to the handler. */
export class Replies {
  readonly #handler: ReplyHandler | undefined;
  readonly #awaited = new Map<string, (arrived: Message | CallerError) => void>();
  /** The last replies that were given to a call or to the handler, the oldest first. */
  readonly #handled = new Set<string>();

  constructor(handler: ReplyHandler | undefined) {
    this.#handler = handler;
  }

  /** @throws CallerError `ID_IN_USE`, `TOO_MANY_CALLS` */
  expect(commandId: string): Awaited {
    if (this.#awaited.has(commandId)) throw CallerError.of('ID_IN_USE', commandId);
    if (this.#awaited.size >= MAX_CALLS) throw CallerError.of('TOO_MANY_CALLS', commandId);
    const arrived: (Message | CallerError)[] = [];
    let wake = (): void => undefined;
    this.#awaited.set(commandId, (message) => {
      // Every reply to such a command is final, so the last is as good as any.
      arrived[0] = message;
      wake();
    });
    return {
      next: async (signal) => {
        if (arrived.length === 0) await abortable(new Promise<void>((resolve) => (wake = resolve)), signal);
        const last = arrived.pop() as Message | CallerError;
        if (last instanceof CallerError) throw last;
        return readReply(last);
      },
      end: () => this.#awaited.delete(commandId),
    };
  }

  /** Has every call send its command again: another process has the queue that replies were to come to. */
  lose(): void {
    for (const [commandId, arrive] of this.#awaited) arrive(CallerError.of('REPLY_LOST', commandId));
  }

  /** @throws Error if the handler fails, after a pause: the reply is to be delivered again */
  async take(delivery: ReplyDelivery): Promise<void> {
    const { message } = delivery;
    const awaited = this.#awaited.get(commandIdOf(message));
    if (awaited) {
      awaited(message);
      const reply = this.#handler && readIfPossible(message);
      if (reply) this.#remember(reply.id);
    } else await this.#handle(message);
    delivery.acknowledge();
  }

  async #handle(message: Message): Promise<void> {
    const reply = readIfPossible(message);
    if (!this.#handler || !reply || this.#handled.has(reply.id)) return;
    // A repeat that comes while it is handled is dropped as well.
    this.#remember(reply.id);
    try {
      await this.#handler(reply);
    } catch (error) {
      this.#handled.delete(reply.id);
      await sleep(HANDLER_PAUSE_MS);
      throw error;
    }
  }

  #remember(id: string): void {
    this.#handled.add(id);
    if (this.#handled.size <= MAX_REMEMBERED) return;
    const [oldest = ''] = this.#handled;
    this.#handled.delete(oldest);
  }
}

/** A reply that nobody can read is acknowledged: it would come again for ever. */
function readIfPossible(message: Message): BusReply | undefined {
  try {
    return readReply(message);
  } catch {
    return undefined;
  }
}
