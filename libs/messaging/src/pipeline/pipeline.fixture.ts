import { COMMAND_TYPES, type Reply } from '#contracts';
import type { OutgoingMessage, PublishOutcome } from '#rabbitmq';
import { Window } from '#resilience';

import { type DeliveryFacts, deliveryOf } from '../../../rabbitmq/src/consuming/delivery.fixture.ts';
import type { CommandHandler } from '../command/command.ts';
import { BUS_OF_SPEC, RECEIVED_AT_MS } from '../envelope/bus.fixture.ts';
import type { IdempotencyStore } from '../idempotency/idempotency-store.ts';
import { MemoryIdempotencyStore } from '../idempotency/memory-idempotency-store.ts';
import type { MessagingObserver } from '../observer/messaging-observer.ts';
import { Outbox } from '../replies/outbox.ts';
import { ReplyQueues } from '../replies/reply-queues.ts';
import { Pipeline } from './pipeline.ts';
import { Survivals } from './survivals.ts';

export const CREATED: Reply = {
  type: 'session.created',
  data: { userId: 'p-1', sessionId: 's-1', auth: 'a', redirectUrl: 'https://play.example' },
};
const RAKE = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };
export const REPORT: DeliveryFacts = {
  queue: 'poker.reports',
  properties: { type: 'report.rake.fetch', replyTo: 'finance', messageId: 'm-1' },
  body: RAKE,
};

/** The destination of a published message, and its type, code or reason. */
export type Published = readonly [to: string, what: string];

/** A pipeline with a broker and clocks that a spec controls. */
export class SpecPipeline {
  nowMs = RECEIVED_AT_MS;
  /** How far the time of day was set back, in milliseconds; the steady clock is not. */
  setBackMs = 0;
  /** The broker's answer to messages, by queue; default: a confirm. */
  answers = new Map<string, PublishOutcome | Error>();
  /** The method of the observer that throws. */
  failsAt: keyof MessagingObserver | undefined;
  handler: CommandHandler = () => Promise.resolve(CREATED);
  store: IdempotencyStore = new MemoryIdempotencyStore(60_000, () => this.nowMs);
  /** The calls of the observer, by the names of its methods. */
  readonly told: [method: string, ...args: unknown[]][] = [];
  readonly messages: OutgoingMessage[] = [];
  readonly window = new Window(16, 5_000, () => this.nowMs);
  readonly pipeline: Pipeline;

  constructor() {
    const nowMs = (): number => this.nowMs - this.setBackMs;
    const clock = (): number => this.nowMs;
    const observer = new Proxy({} as MessagingObserver, {
      get:
        (_, method: string) =>
        (...args: unknown[]) => {
          if (method === this.failsAt) throw new Error('a part has failed');
          this.told.push([method, ...args]);
        },
    });
    const options = {
      ...BUS_OF_SPEC,
      nowMs,
      clock,
      sleep: () => Promise.resolve(),
      observer,
      clientOf: (operator: string) => (operator === 'default' ? {} : undefined),
      callers: { mayRun: (caller: string) => caller !== 'stranger', mayReplyTo: () => true },
      idempotency: {
        claim: (...claim: Parameters<IdempotencyStore['claim']>) => this.store.claim(...claim),
      },
    };
    const broker = {
      consuming: undefined,
      publish: (message: OutgoingMessage) => this.#publish(message),
      redeclare: () => Promise.resolve(void this.answers.delete('poker.quarantine')),
      standingOf: (queue: string) => {
        const answer = this.answers.get(queue);
        const counts = { queue, messageCount: answer === 'refused' ? 1 : 0, consumerCount: 0 };
        return Promise.resolve(answer === 'returned' ? ('gone' as const) : counts);
      },
    };
    const replyQueues = new ReplyQueues(clock, broker);
    this.pipeline = new Pipeline(options, {
      outbox: new Outbox(options, broker, replyQueues),
      replyQueues,
      handlers: new Map(COMMAND_TYPES.map((type) => [type, (...args) => this.handler(...args)])),
      window: this.window,
      reportPlaces: 8,
      survivals: new Survivals(options.names, broker),
    });
  }

  /** Delivers a message, by default a valid `session.create`, and waits until it is settled. */
  async process(facts: DeliveryFacts = {}) {
    const properties = { messageId: 'm-1', replyTo: 'lobby', ...facts.properties };
    const delivery = deliveryOf({ ...facts, properties });
    let isRequeued = false;
    let isAcknowledged = false;
    delivery.requeue = () => void (isRequeued = true);
    delivery.acknowledge = () => void (isAcknowledged = true);
    const before = this.messages.length;
    await this.pipeline.process(delivery);
    const end = isAcknowledged ? 'acknowledged' : isRequeued ? 'requeued' : 'left';
    return { end, published: this.messages.slice(before).map(describe), delivery };
  }

  /** The last message to a queue, as its consumer would receive it. */
  delivered(queue: string): DeliveryFacts {
    const message = this.messages.findLast(({ routingKey }) => routingKey === queue);
    if (!message) throw new Error(`nothing was published to ${queue}`);
    const { headers, ...properties } = message.properties;
    return { queue: queue.replace(/\.retry\.\d+$/, ''), properties, headers, body: message.content };
  }

  #publish(message: OutgoingMessage): Promise<PublishOutcome> {
    const answer = this.answers.get(message.routingKey) ?? 'confirmed';
    // Time passes with each attempt, so that retries end.
    if (answer !== 'confirmed') this.nowMs += 300;
    else this.messages.push(message);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }
}

function describe({ exchange, routingKey, content, properties }: OutgoingMessage): Published {
  if (exchange !== '') return [exchange, routingKey];
  const reason = properties.headers['x-reason'];
  if (typeof reason === 'string') return [routingKey, reason];
  const { code } = JSON.parse(content.toString()) as { code?: string };
  return [routingKey, code ?? String(properties.type)];
}
