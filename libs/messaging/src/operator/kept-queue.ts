import { setImmediate as turn } from 'node:timers/promises';

import type { ConsumeMessage, Replies } from 'amqplib';

import { busNames } from '#contracts';
import {
  OneShotConnection,
  BrokerError,
  ConfirmedPublisher,
  countsOf,
  type OutgoingMessage,
  pause,
  type PublishOutcome,
  QueueLock,
  UnconfirmedError,
  walkQueue,
} from '#rabbitmq';
import type { TlsContext } from '#tls';

import { InternalKeys } from '../envelope/seal.ts';
import { type KeptMessage, keptMessageOf } from './kept-message.ts';
import { type KeptQueueName, lockOf } from '../topology/topology.ts';

const COUNTS_TIMEOUT_MS = 5_000;
/** A broker that is lost is noticed before by its heartbeat. */
const WALK = { silenceMs: 60_000 };
/** The broker takes back a message that somebody has held for half an hour. */
const ROUND_MS = 10 * 60_000;
const MAX_LOOKS = 4;
const PAUSE_MS = 200;
/** A minute, while another person or a worker settles messages. */
const MAX_PAUSES = 300;

export interface KeptQueueOptions {
  /** The nodes of one cluster. They hold a password. */
  readonly urls: readonly string[];
  readonly prefix: string;
  readonly queue: KeptQueueName;
  /** The workers' key proves where messages come from. Without it, what says to be sealed is taken as it is. */
  readonly internalKey?: Buffer | undefined;
  /** Default: what Node.js trusts, and no client certificate. */
  readonly tls?: TlsContext | undefined;
}

export interface Kept {
  readonly facts: KeptMessage;
  readonly message: ConsumeMessage;
}

/** What became of a message: gone from the queue, or why it is still there; `unwritable` cannot be published at all. */
export type TakeOutcome = 'done' | 'unwritable' | Exclude<PublishOutcome, 'confirmed'>;

interface SettleOptions {
  /** The keys of the messages that are settled; the others keep their places. */
  readonly chosen: ReadonlySet<string>;
  /** Ends it after the message that is under way. */
  readonly signal: AbortSignal;
  /** Called if another person or a worker settles messages, and this waits for its turn. */
  readonly waiting: () => void;
}

/** The queue of dead letters or of parked replies, for a person who looks into it and acts. */
export class KeptQueue implements AsyncDisposable {
  readonly name: string;
  readonly #options: KeptQueueOptions;
  readonly #keys: InternalKeys | undefined;
  /** Consumes; an alarm of the broker does not keep it from returning what it holds. */
  readonly #connection: OneShotConnection;

  private constructor(connection: OneShotConnection, options: KeptQueueOptions) {
    this.name = busNames(options.prefix)[options.queue];
    this.#options = options;
    this.#keys = options.internalKey && new InternalKeys(options.internalKey);
    this.#connection = connection;
  }

  /** @throws BrokerError, also `queue-missing` if no worker has declared anything yet */
  static async open(options: KeptQueueOptions): Promise<KeptQueue> {
    await using stack = new AsyncDisposableStack();
    const kept = stack.use(new KeptQueue(await connect(options), options));
    await kept.#explained(() => kept.#counts());
    stack.move();
    return kept;
  }

  /**
   * Reads every message, oldest first, and leaves all of them in their places. If somebody else holds messages at that
   * moment, all are read again from the first one.
   *
   * @param read what is wanted of a message; undefined if nothing is
   * @throws BrokerError if the broker refuses the user, or the connection is lost
   */
  look<T>(read: (kept: Kept) => T | undefined): Promise<T[]> {
    return this.#explained(async () => {
      for (let looks = 1; ; looks += 1) {
        const shown: (T | undefined)[] = [];
        await walkQueue(this.#connection.model, this.name, WALK, async (messages) => {
          for await (const { message } of messages)
            shown.push(read({ facts: keptMessageOf(message, this.#keys), message }));
        });
        const { messageCount, consumerCount } = await this.#counts();
        // Somebody who consumes may hold messages for longer than the end of a walk waits for them.
        if ((messageCount <= shown.length && consumerCount === 0) || looks === MAX_LOOKS)
          return shown.filter((wanted) => wanted !== undefined);
      }
    });
  }

  /**
   * Settles the chosen messages, oldest first; the others keep their places. What replaces a message is confirmed before the
   * message is removed: a process that is killed loses none, and at most repeats the one that was under way.
   *
   * @param settle is called with each chosen message, which stays unless `take` removes it
   * @returns the keys of the messages that were not come to: the signal was aborted before, or they have gone
   * @throws BrokerError if the broker refuses the user, is under an alarm, or the connection is lost; what was settled is settled
   */
  async settle(
    { chosen, signal, waiting }: SettleOptions,
    settle: (kept: Kept, take: (instead?: OutgoingMessage) => Promise<TakeOutcome>) => Promise<void>,
  ): Promise<ReadonlySet<string>> {
    const { prefix, queue } = this.#options;
    const { model } = this.#connection;
    await using publishing = await connect(this.#options);
    const publisher = new ConfirmedPublisher();
    // What waits for an answer of a connection that is lost fails.
    publishing.model.on('close', () => publisher.close());
    const lock = new QueueLock(lockOf(busNames(prefix), queue), publisher);
    const left = new Set(chosen);
    const walkOver = () =>
      lock.walk(model, this.name, WALK, async (messages) => {
        const untilMs = performance.now() + ROUND_MS;
        for await (const { message, acknowledge } of messages) {
          const facts = keptMessageOf(message, this.#keys);
          // The walk goes on to the end in any case, so that all messages are back in their places.
          if (signal.aborted || performance.now() > untilMs || !left.delete(facts.key)) continue;
          await settle({ facts, message }, (instead) => take(publisher, acknowledge, instead));
        }
      });
    return await this.#explained(async () => {
      await publisher.attach(publishing.model);
      // A round that brings nothing may have met messages that somebody else holds for a look.
      for (let idle = 0; left.size > 0 && idle < MAX_LOOKS && !signal.aborted;) {
        const before = left.size;
        for (let pauses = 0; !signal.aborted && !(await walkOver()); pauses += 1) {
          if (pauses === 0) waiting();
          if (pauses === MAX_PAUSES)
            throw new BrokerError('queue-busy', `Somebody has been settling ${this.name} for a minute.`);
          await pause(PAUSE_MS, signal);
        }
        idle = left.size < before ? 0 : idle + 1;
      }
      return left;
    }, publishing);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#connection[Symbol.asyncDispose]();
  }

  async #counts(): Promise<Replies.AssertQueue> {
    const counts = await countsOf(this.#connection.model, this.name, COUNTS_TIMEOUT_MS);
    if (counts) return counts;
    const message = `The broker has no queue ${this.name}: no worker with this AMQP_PREFIX has been there.`;
    throw new BrokerError('queue-missing', message);
  }

  /** Says what went wrong with the broker; a fault in the code stays what it is. */
  async #explained<T>(work: () => Promise<T>, publishing?: OneShotConnection): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof TypeError) throw error;
      throw (publishing?.isBlocked ? publishing : this.#connection).faultOf(error);
    }
  }
}

function connect({ urls, tls }: KeptQueueOptions): Promise<OneShotConnection> {
  return OneShotConnection.open(urls, { name: 'poker-bridge client', tls });
}

async function take(
  publisher: ConfirmedPublisher,
  acknowledge: () => void,
  instead?: OutgoingMessage,
): Promise<TakeOutcome> {
  if (instead) {
    const outcome = await publisher.publish(instead).catch((error: unknown) => {
      if (error instanceof UnconfirmedError) throw error;
      return 'unwritable' as const;
    });
    if (outcome !== 'confirmed') return outcome;
  }
  acknowledge();
  // The acknowledgement leaves before this returns: a process that is killed repeats nothing that it has reported.
  await turn();
  return 'done';
}
