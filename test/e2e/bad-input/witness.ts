import type { ConsumeMessage, Options } from 'amqplib';

import type { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';

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

  private constructor(
    readonly replyQueue: string,
    readonly service: ServiceUnderTest,
  ) {}

  /** The worker must have declared its queues. */
  static async open(service: ServiceUnderTest): Promise<Witness> {
    const { channel } = service.caller;
    const replies = await channel.assertQueue('', { exclusive: true });
    const events = await channel.assertQueue('', { exclusive: true });
    await channel.bindQueue(events.queue, service.name('events'), '#');
    const witness = new Witness(replies.queue, service);
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

  /** Publishes a command with these properties, and with no others but its identity. */
  publish(correlationId: string, type: string, body: object, options: Options.Publish): void {
    const properties = { messageId: `id-${correlationId}`, correlationId, ...options };
    const content = Buffer.from(JSON.stringify(body));
    this.service.caller.channel.publish(this.service.name('commands'), type, content, properties);
  }

  /** Waits for what it sees of the message with a correlation id. */
  until(correlationId: string, what: string, isThere: (testimony: Testimony) => boolean): Promise<Testimony> {
    return until(what, () => {
      const testimony = this.messagesFor(correlationId);
      return isThere(testimony) && testimony;
    });
  }

  /** Waits until a message is dead-lettered and announced. */
  refused(correlationId: string): Promise<Testimony> {
    const isRefused = ({ deadLetters, events }: Testimony) => deadLetters.length > 0 && events.length > 0;
    return this.until(correlationId, 'it is refused', isRefused);
  }

  /** Throws unless the next command is served. */
  async expectServed(): Promise<void> {
    const [reply] = await this.service.caller.send('session.create', { userId: 'p-1' });
    if (reply?.type !== 'session.created') throw new Error(`answered with ${reply?.text}`);
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

/** A summary of a reply. */
export function factsOf(message: ConsumeMessage | undefined) {
  const { type, headers } = message?.properties ?? {};
  const text = String(message?.content);
  const body = (text.startsWith('{') ? JSON.parse(text) : {}) as { code?: string };
  return {
    type: type as unknown,
    sequence: headers?.['sequence'] as unknown,
    final: headers?.['final'] as unknown,
    ...(body.code !== undefined && { code: body.code }),
  };
}
