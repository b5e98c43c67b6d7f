import type { ConsumeMessage } from 'amqplib';

import type { ServiceUnderTest } from '../../support/service-under-test.ts';

/** Everything that the service published about one message. */
export interface Testimony {
  readonly replies: readonly ConsumeMessage[];
  readonly deadLetters: readonly ConsumeMessage[];
  readonly events: readonly ConsumeMessage[];
  readonly undelivered: readonly ConsumeMessage[];
}

type Kind = keyof Testimony;

const NOTHING: readonly ConsumeMessage[] = [];

/**
 * Records everything that the service publishes under a prefix: replies to a queue of its own, dead letters, events and
 * undelivered replies, each by its correlation id.
 */
export class Witness {
  readonly #seen = new Map<string, Map<Kind, ConsumeMessage[]>>();
  readonly #counts: Record<Kind, number> = { replies: 0, deadLetters: 0, events: 0, undelivered: 0 };

  private constructor(readonly replyQueue: string) {}

  /** The worker must have declared its queues. */
  static async open(service: ServiceUnderTest): Promise<Witness> {
    const { channel } = service.caller;
    const replies = await channel.assertQueue('', { exclusive: true });
    const events = await channel.assertQueue('', { exclusive: true });
    await channel.bindQueue(events.queue, service.name('events'), '#');
    const witness = new Witness(replies.queue);
    const consume = (queue: string, kind: Kind) =>
      channel.consume(queue, (message) => message && witness.#see(kind, message), { noAck: true });
    await consume(replies.queue, 'replies');
    await consume(events.queue, 'events');
    await consume(service.name('dead-letters'), 'deadLetters');
    await consume(service.name('replies.undelivered'), 'undelivered');
    return witness;
  }

  /** The number of messages of each kind. */
  get counts(): Readonly<Record<Kind, number>> {
    return this.#counts;
  }

  /** The messages with a correlation id so far. */
  messagesFor(correlationId: string): Testimony {
    const seen = this.#seen.get(correlationId);
    const list = (kind: Kind) => seen?.get(kind) ?? NOTHING;
    return {
      replies: list('replies'),
      deadLetters: list('deadLetters'),
      events: list('events'),
      undelivered: list('undelivered'),
    };
  }

  #see(kind: Kind, message: ConsumeMessage): void {
    this.#counts[kind] += 1;
    const correlationId = String(message.properties.correlationId);
    const seen = this.#seen.get(correlationId) ?? new Map<Kind, ConsumeMessage[]>();
    this.#seen.set(correlationId, seen);
    const list = seen.get(kind) ?? [];
    seen.set(kind, list);
    list.push(message);
  }
}
