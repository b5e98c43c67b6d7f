import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach } from '@jest/globals';
import type { ConsumeMessage, Options } from 'amqplib';

import type { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';

const KINDS = ['replies', 'deadLetters', 'events', 'undelivered'] as const;
type Kind = (typeof KINDS)[number];

/** Everything that the service published about one message. */
export type Testimony = Readonly<Record<Kind, ConsumeMessage[]>>;

/**
 * Records all messages that the service publishes under a prefix: replies to its own queue, dead letters,
 * events and parked replies, by correlation id.
 */
export class Witness {
  replyQueue!: string;
  /** The correlation id of the command that a test sends. */
  correlationId = '';
  readonly service: ServiceUnderTest;
  readonly #seen = new Map<string, Testimony>();

  constructor(service: ServiceUnderTest) {
    this.service = service;
  }

  /** The worker must have declared its queues. */
  async open(): Promise<void> {
    const { channel } = this.service.caller;
    const name = (rest: string): string => this.service.name(rest);
    this.replyQueue = (await channel.assertQueue('', { exclusive: true })).queue;
    const events = (await channel.assertQueue('', { exclusive: true })).queue;
    await channel.bindQueue(events, name('events'), '#');
    const queues = [this.replyQueue, name('dead-letters'), events, name('replies.undelivered')];
    for (const [index, queue] of queues.entries()) await this.consume(queue, KINDS[index]!);
  }

  async consume(queue: string, kind: Kind): Promise<void> {
    const see = (message: ConsumeMessage | null): void => {
      if (message) this.messagesFor(String(message.properties.correlationId))[kind].push(message);
    };
    await this.service.caller.channel.consume(queue, see, { noAck: true });
  }

  get counts(): Readonly<Record<Kind, number>> {
    const all = [...this.#seen.values()];
    const countOf = (kind: Kind) => all.reduce((sum, seen) => sum + seen[kind].length, 0);
    return Object.fromEntries(KINDS.map((kind) => [kind, countOf(kind)])) as Record<Kind, number>;
  }

  /** Returns the messages with a correlation id, past and future. */
  messagesFor(correlationId = this.correlationId): Testimony {
    const seen = this.#seen.get(correlationId) ?? {
      replies: [],
      deadLetters: [],
      events: [],
      undelivered: [],
    };
    this.#seen.set(correlationId, seen);
    return seen;
  }

  /** Publishes a command with only these properties and its identity. */
  publish(type: string, body: object, options: Options.Publish): void {
    const { correlationId } = this;
    const properties = { messageId: `id-${correlationId}`, correlationId, ...options };
    const content = Buffer.from(JSON.stringify(body));
    this.service.caller.channel.publish(this.service.name('commands'), type, content, properties);
  }

  /** Waits until `isThere` returns true for the messages with a correlation id. */
  until(what: string, isThere: (testimony: Testimony) => boolean, correlationId = this.correlationId) {
    return until(what, () => {
      const testimony = this.messagesFor(correlationId);
      return isThere(testimony) && testimony;
    });
  }

  /** Waits until the command is dead-lettered and announced. */
  refused(correlationId = this.correlationId): Promise<Testimony> {
    const isRefused = ({ deadLetters, events }: Testimony) => deadLetters.length > 0 && events.length > 0;
    return this.until('it is refused', isRefused, correlationId);
  }
}

/** Starts a witness for the tests of a suite, once the first worker of the service is ready. */
export function witnessForAll(service: ServiceUnderTest): Witness {
  const witness = new Witness(service);
  beforeAll(() => witness.open());
  beforeEach(() => void (witness.correlationId = randomUUID()));
  return witness;
}

const COPY_HEADERS =
  'operator schema-version x-deadline x-reason x-seal x-sequence x-failed-at x-failure x-origin-queue x-publish-id'.split(
    ' ',
  );

/**
 * Returns the headers of a dead letter that a copy of a command should not have.
 *
 * @param also additional headers that this dead letter may have
 */
export function foreignHeadersOf({ properties }: ConsumeMessage, ...also: readonly string[]): string[] {
  const allowed = new Set([...COPY_HEADERS, ...also]);
  return Object.keys(properties.headers ?? {}).filter((name) => !allowed.has(name));
}

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
