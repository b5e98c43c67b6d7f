import { setTimeout as sleep } from 'node:timers/promises';

import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { busNames } from '#contracts';
import type { TlsContext } from '#tls';

import { closeWithin } from '../rabbitmq/connection/close-within.ts';
import { depthAfterWalk } from '../rabbitmq/consuming/depth-after-walk.ts';
import { walkQueue } from '../rabbitmq/consuming/walk-queue.ts';
import { messagesIn } from '../rabbitmq/inspection/inspect-topology.ts';
import { ConfirmedPublisher, UnconfirmedError } from '../rabbitmq/publishing/confirmed-publisher.ts';
import type { PublishOutcome } from '../rabbitmq/publishing/confirming-channel.ts';
import type { OutgoingMessage } from '../rabbitmq/publishing/outgoing-message.ts';
import { ForwarderLock } from '../replies/forwarder-lock.ts';
import { forwarderLockOf } from '../topology/topology.ts';
import { BusClientError } from './bus-client-error.ts';
import { connectClient } from './connect-client.ts';
import { type KeptMessage, keptMessageOf } from './kept-message.ts';
import { takeTurn } from './take-turn.ts';

const ACCESS_REFUSED = 403;
const CLOSE_TIMEOUT_MS = 5_000;
/** The broker takes back a message that somebody has held for half an hour. */
const ROUND_MS = 10 * 60_000;
/** Beyond 32 acknowledgements that a quorum queue has not applied yet, RabbitMQ 3.10 drops the rest with their channel. */
const ACKNOWLEDGEMENT_MS = 5;
const MAX_LOOKS = 4;

export interface KeptQueueOptions {
  /** The nodes of one cluster. They hold a password. */
  readonly urls: readonly string[];
  readonly prefix: string;
  readonly queue: 'deadLetters' | 'undelivered';
  /** Default: what Node.js trusts, and no client certificate. */
  readonly tls?: TlsContext | undefined;
}

/** A message with what it says about itself. */
export interface Kept {
  readonly facts: KeptMessage;
  readonly message: ConsumeMessage;
}

/** What became of a message: gone from the queue, or why it is still there. */
export type KeptOutcome =
  | 'done'
  | 'left'
  /** Somebody wrote it by hand: it cannot be published at all. */
  | 'unwritable'
  | Exclude<PublishOutcome, 'confirmed'>;

export interface SettleOptions {
  /** The keys of those that are settled; the others stay where they are. */
  readonly chosen: ReadonlySet<string>;
  /** What is published, and confirmed, before a message is removed; `remove`: nothing; `leave`: it stays. */
  readonly decide: (kept: Kept) => OutgoingMessage | 'remove' | 'leave';
  readonly settled: (facts: KeptMessage, outcome: KeptOutcome) => void;
  readonly ratePerSecond: number;
  /** Ends it after the message that is under way. */
  readonly signal: AbortSignal;
  /** Called if a worker is delivering parked replies, whose order two at once would mix up: this one waits for its turn. */
  readonly waiting: () => void;
  /** How long messages are held at once, default ten minutes. */
  readonly roundMs?: number;
}

/** The queue of dead letters, or that of parked replies, for a person who looks into it and acts. */
export class KeptQueue implements AsyncDisposable {
  readonly name: string;
  readonly #model: ChannelModel;
  readonly #publisher = new ConfirmedPublisher();
  readonly #lock: ForwarderLock | undefined;

  private constructor(model: ChannelModel, { prefix, queue }: KeptQueueOptions) {
    const names = busNames(prefix);
    this.#model = model;
    this.name = names[queue];
    this.#lock =
      queue === 'undelivered' ? new ForwarderLock(forwarderLockOf(names), this.#publisher) : undefined;
  }

  /** @throws BusClientError `unreachable`, `rejected`, or `no-queue` if no worker has declared anything yet */
  static async open(options: KeptQueueOptions): Promise<KeptQueue> {
    const { model } = await connectClient(options.urls, options.tls);
    model.on('error', () => undefined);
    const kept = new KeptQueue(model, options);
    try {
      await kept.#depth();
      // Whatever waits for an answer of a connection that is lost is told so.
      model.on('close', () => kept.#publisher.close());
      await kept.#publisher.attach({
        openChannel: () => model.createConfirmChannel(),
        isBlocked: false,
        giveUp: () => kept.#publisher.close(),
      });
      return kept;
    } catch (error) {
      await closeWithin(CLOSE_TIMEOUT_MS, model);
      throw translated(error);
    }
  }

  /**
   * Shows every message, oldest first, and leaves all of them in their places. Messages that somebody else holds at that
   * moment, as a worker does when it delivers parked replies, are waited for and looked at again from the first one.
   *
   * @param show called for each
   * @param restart called before messages are shown again from the first one
   * @throws BusClientError if the broker refuses, or the connection is lost
   */
  async look(show: (kept: Kept) => void, restart: () => void): Promise<void> {
    for (let looks = 1; ; looks += 1) {
      let shown = 0;
      await this.#walk((kept) => {
        shown += 1;
        show(kept);
      });
      // Also if nothing was shown: a worker that delivers parked replies may hold all of them.
      const depth = await this.#depthAfter(Math.max(shown, 1));
      if (depth <= shown || looks === MAX_LOOKS) return;
      restart();
    }
  }

  /**
   * Settles the chosen messages, oldest first. Each is published, and confirmed, before it is removed: a process that is
   * killed loses none, and at most repeats the one that was under way. The others keep their places, unless it is killed.
   *
   * @returns the keys of those that it did not come to: it was ended before, or they have gone
   * @throws BusClientError if the broker refuses, or the connection is lost; what was settled until then is settled
   */
  async settle(options: SettleOptions): Promise<ReadonlySet<string>> {
    const left = new Set(options.chosen);
    if (this.#lock && !(await takeTurn(this.#lock, this.#model, options))) return left;
    try {
      // One that brings nothing may have met messages that somebody else holds for a look.
      for (let idle = 0; left.size > 0 && idle < MAX_LOOKS && !options.signal.aborted;) {
        const before = left.size;
        const isEmpty = (await this.#round(left, options)) === 0;
        if (isEmpty) break;
        idle = left.size < before ? 0 : idle + 1;
      }
    } finally {
      await this.#lock?.release(this.#model);
    }
    return left;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#publisher.close();
    await closeWithin(CLOSE_TIMEOUT_MS, this.#model);
  }

  /**
   * One walk, which takes from `left` what is settled.
   *
   * @returns how many messages are in the queue after it
   */
  async #round(left: Set<string>, { roundMs = ROUND_MS, ...options }: SettleOptions): Promise<number> {
    const { ratePerSecond, signal } = options;
    const untilMs = performance.now() + roundMs;
    const pauseMs = 1_000 / ratePerSecond - ACKNOWLEDGEMENT_MS;
    let removed = 0;
    let shown = 0;
    await this.#walk(async (kept, channel) => {
      shown += 1;
      // What is not settled any more is walked past all the same, so that all of it is back in its place.
      if (signal.aborted || performance.now() > untilMs || !left.delete(kept.facts.key)) return;
      const outcome = await this.#settleOne(kept, options, channel);
      options.settled(kept.facts, outcome);
      if (outcome === 'done') removed += 1;
      if (outcome !== 'left' && pauseMs > 0)
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    });
    return this.#depthAfter(shown - removed);
  }

  async #settleOne(kept: Kept, { decide }: SettleOptions, channel: Channel): Promise<KeptOutcome> {
    const decision = decide(kept);
    if (decision === 'leave') return 'left';
    if (decision !== 'remove') {
      const outcome = await this.#publish(decision);
      if (outcome !== 'confirmed') return outcome;
    }
    channel.ack(kept.message);
    await sleep(ACKNOWLEDGEMENT_MS);
    return 'done';
  }

  async #publish(message: OutgoingMessage): Promise<PublishOutcome | 'unwritable'> {
    try {
      return await this.#publisher.publish(message, () => true);
    } catch (error) {
      if (error instanceof UnconfirmedError) throw error;
      return 'unwritable';
    }
  }

  async #walk(visit: (kept: Kept, channel: Channel) => Promise<void> | void): Promise<void> {
    try {
      const channel = await this.#model.createChannel();
      channel.on('error', () => undefined);
      try {
        for await (const message of walkQueue(channel, this.name)) {
          await visit({ facts: keptMessageOf(message), message }, channel);
        }
      } finally {
        await closeWithin(CLOSE_TIMEOUT_MS, channel);
      }
    } catch (error) {
      throw translated(error);
    }
  }

  #depthAfter(expected: number): Promise<number> {
    return depthAfterWalk(() => this.#depth(), expected);
  }

  async #depth(): Promise<number> {
    let depth: number | undefined;
    try {
      depth = await messagesIn(this.#model, this.name);
    } catch (error) {
      throw translated(error);
    }
    if (depth !== undefined) return depth;
    throw new BusClientError(
      'no-queue',
      `The broker has no queue ${this.name}: no worker with this AMQP_PREFIX has been there.`,
    );
  }
}

function translated(error: unknown): unknown {
  if (error instanceof BusClientError || error instanceof TypeError) return error;
  const { code, message } = error as { code?: unknown; message: string };
  const [fault, what] =
    code === ACCESS_REFUSED
      ? (['rejected', 'The broker refuses this user'] as const)
      : (['unreachable', 'The broker does not answer any more'] as const);
  return new BusClientError(fault, `${what}: ${message}`, { cause: error });
}
