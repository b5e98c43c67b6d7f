import type { ChannelModel, ConsumeMessage } from 'amqplib';

import { type Broker, type OutgoingMessage, pause, QueueLock, within } from '#rabbitmq';

import { ALL_CALLERS, ANONYMOUS, readReplyAddress } from '../envelope/reply-address.ts';
import type { InternalKeys } from '../envelope/internal-keys.ts';
import { ownHeadersOf } from '../envelope/own-headers.ts';
import { KeptSummary } from '../kept/kept-message.ts';
import type { Bus } from '../messaging-options.ts';
import { lockOf } from '../topology/topology.ts';
import { FailingDestinations } from './failing-destinations.ts';
import { ForwardingRound } from './forwarding-round.ts';

const INTERVAL_MS = 3_000;
/** After a walk that was cut short; long enough for somebody else to take the lock. */
const SHORTEST_REST_MS = 500;
/** A long walk is followed by a longer rest, so that the workers are there for commands. */
const REST_SHARE = 1 / 2;
const STOP_TIMEOUT_MS = 2_000;
const WALK = {
  // A message that takes the broker long must not keep those behind it here.
  silenceMs: 60_000,
  // No final reply comes near it; what is cut has no seal that fits, and stays.
  maxBodyBytes: 1024 * 1024,
};

/** How the reasons of replies begin. An announcement is not forwarded: the listeners that took it would get it again. */
const FORWARDED = 'REPLY_QUEUE_';
/** What a reply has; a `user_id`, for example, would close the channel. */
const PROPERTIES = new Set('type correlationId messageId contentType timestamp appId'.split(' '));

/**
 * Sends parked replies on to their queues once these exist and take messages, in order, confirmed and under the ids that
 * they had. One worker does, for all; every reply is tried at most once in a walk. Source: bus contract, section 5.
 */
export class ParkedReplyForwarder {
  readonly #bus: Bus;
  readonly #broker: Broker;
  readonly #lock: QueueLock;
  readonly #stopping = new AbortController();
  readonly #failing = new FailingDestinations();
  #wasCut = false;
  #left = new KeptSummary();
  #walking: Promise<void> = Promise.resolve();

  constructor(bus: Bus, broker: Broker) {
    this.#bus = bus;
    this.#broker = broker;
    this.#lock = new QueueLock(lockOf(bus.names, 'undelivered'), broker);
  }

  /** What the last complete walk of this worker left in the queue. */
  get left(): KeptSummary {
    return this.#left;
  }

  /** Walks again and again while there is a connection, until `stop`; returns at once. */
  start(): void {
    this.#walking = this.#keepWalking();
  }

  /** Ends after the reply that is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await within(STOP_TIMEOUT_MS, 'the last parked reply', this.#walking).catch(() => undefined);
  }

  async #keepWalking(): Promise<void> {
    const { signal } = this.#stopping;
    for (let restMs = INTERVAL_MS; ;) {
      await pause(restMs, signal);
      if (signal.aborted) return;
      const { consuming } = this.#broker;
      // What fails is tried again at the next walk.
      restMs = consuming ? await this.#walkOver(consuming).catch(() => INTERVAL_MS) : INTERVAL_MS;
    }
  }

  /** @returns how long to rest */
  async #walkOver(connection: ChannelModel): Promise<number> {
    const { names, observer, internalKeys } = this.#bus;
    const depth = (await this.#broker.countsOf(names.undelivered))?.messageCount ?? 0;
    // While another worker walks, it holds them, and the broker counts none.
    if (depth === 0 && this.#left.messages === 0) return INTERVAL_MS;
    const isWanted = (): boolean => !this.#stopping.signal.aborted && this.#broker.consuming === connection;
    const startedMs = performance.now();
    this.#failing.begin(startedMs, this.#wasCut);
    const round = new ForwardingRound(
      // A message that cannot be written was not parked by a worker.
      (message) => this.#broker.publish(message, isWanted).catch(() => undefined),
      () => performance.now(),
      this.#failing,
    );
    const hasWalked = await this.#lock.walk(connection, names.undelivered, WALK, async (messages) => {
      const left = new KeptSummary();
      try {
        for await (const { message: parked, acknowledge } of messages) {
          // A walk that is stopped still goes to the end, so that all replies are back in their places.
          if (!isWanted()) round.stop();
          const queue: unknown = parked.properties.headers?.['x-origin-queue'];
          const isOpen = typeof queue === 'string' && round.isOpenFor(queue);
          const message = isOpen ? forwardedReply(parked, names.reserved, internalKeys) : undefined;
          const sent = message ? round.offer(message) : Promise.resolve(false);
          // If its channel has just closed, it is sent again under the same id.
          sent.then((isTaken) => (isTaken ? acknowledge() : left.add(parked))).catch(() => undefined);
          await round.room();
        }
        await round.finish();
        this.#left = left;
      } finally {
        round.stop();
        for (const [queue, replies] of round.taken) observer.repliesForwarded(queue, replies);
      }
    });
    if (!hasWalked) return INTERVAL_MS;
    this.#wasCut = round.isCut;
    const restMs = REST_SHARE * (performance.now() - startedMs);
    return Math.max(restMs, this.#wasCut ? SHORTEST_REST_MS : INTERVAL_MS);
  }
}

/**
 * A parked reply as it was to be published, under the same `message_id`.
 *
 * @param reserved what the service's own names start with
 * @param keys prove that a worker parked it: everybody who may write to the parked replies could otherwise have the worker
 *   send anything to any queue
 * @returns undefined if no worker parked it, or it is not forwarded
 */
export function forwardedReply(
  parked: ConsumeMessage,
  reserved: string,
  keys: InternalKeys,
): OutgoingMessage | undefined {
  const { 'x-reason': reason, 'x-origin-queue': queue } = ownHeadersOf(parked, keys);
  // A direct key belongs to a connection, and does not come back with another one.
  const address = readReplyAddress(queue, reserved, ALL_CALLERS, ANONYMOUS);
  if (!reason?.startsWith(FORWARDED) || address.kind !== 'queue') return undefined;
  const properties = Object.entries(parked.properties).filter(([name]) => PROPERTIES.has(name));
  // Headers with an `x-` were added by the service, the publisher and the broker.
  const sent = Object.entries(parked.properties.headers ?? {}).filter(([name]) => !name.startsWith('x-'));
  const headers = Object.fromEntries(sent);
  return {
    exchange: '',
    routingKey: address.queue,
    content: parked.content,
    mandatory: true,
    properties: { ...Object.fromEntries(properties), headers },
  };
}
