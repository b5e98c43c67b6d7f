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
/** The heartbeat notices a lost broker sooner. */
const WALK = { silenceMs: 60_000 };
/** Less than the half hour after which the broker requeues unacknowledged messages. */
const ROUND_MS = 10 * 60_000;
const MAX_READS = 4;
const PAUSE_MS = 200;
/** A minute, while another operator or a worker settles messages. */
const MAX_PAUSES = 300;

export interface KeptQueueOptions {
  /** The nodes of one cluster. The URLs contain a password. */
  readonly urls: readonly string[];
  readonly prefix: string;
  readonly queue: KeptQueueName;
  /** The workers' key, which proves where messages come from. Without it, sealed headers are not verified. */
  readonly internalKey?: Buffer | undefined;
  /** Default: the CAs of Node.js, and no client certificate. */
  readonly tls?: TlsContext | undefined;
}

export interface Kept {
  readonly facts: KeptMessage;
  readonly message: ConsumeMessage;
}

/**
 * What happened to a message: removed, or why it is still in the queue; `unwritable` means that it cannot be
 * published at all.
 */
export type TakeOutcome = 'done' | 'unwritable' | Exclude<PublishOutcome, 'confirmed'>;

interface SettleOptions {
  /** The keys of the messages to settle; the others keep their places. */
  readonly chosen: ReadonlySet<string>;
  /** Stops after the current message. */
  readonly signal: AbortSignal;
  /** Called if this waits because another operator or a worker is settling messages. */
  readonly waiting: () => void;
}

/** The queue of dead letters or parked replies, for an operator who inspects it and acts. */
export class KeptQueue implements AsyncDisposable {
  readonly name: string;
  readonly #options: KeptQueueOptions;
  readonly #keys: InternalKeys | undefined;
  /** The consuming connection: an alarm of the broker does not prevent it from requeueing its messages. */
  readonly #connection: OneShotConnection;

  private constructor(connection: OneShotConnection, options: KeptQueueOptions) {
    this.name = busNames(options.prefix)[options.queue];
    this.#options = options;
    this.#keys = options.internalKey && new InternalKeys(options.internalKey);
    this.#connection = connection;
  }

  /**
   * Connects to the queue.
   *
   * @throws BrokerError, with `queue-missing` if no worker has declared the queue yet
   */
  static async open(options: KeptQueueOptions): Promise<KeptQueue> {
    await using stack = new AsyncDisposableStack();
    const kept = stack.use(new KeptQueue(await connect(options), options));
    await kept.#explained(() => kept.#counts());
    stack.move();
    return kept;
  }

  /**
   * Reads every message, oldest first, and leaves all of them in their places. If another consumer holds
   * messages at that time, all are read again from the first one.
   *
   * @param read returns what is wanted of a message; undefined to skip it
   * @throws BrokerError if the broker refuses the user, or the connection is lost
   */
  readAll<T>(read: (kept: Kept) => T | undefined): Promise<T[]> {
    return this.#explained(async () => {
      for (let rounds = 1; ; rounds += 1) {
        const shown: (T | undefined)[] = [];
        await walkQueue(this.#connection.model, this.name, WALK, async (messages) => {
          for await (const { message } of messages)
            shown.push(read({ facts: keptMessageOf(message, this.#keys), message }));
        });
        const { messageCount, consumerCount } = await this.#counts();
        // Another consumer may hold messages for longer than the end of a walk waits for them.
        if ((messageCount <= shown.length && consumerCount === 0) || rounds === MAX_READS)
          return shown.filter((wanted) => wanted !== undefined);
      }
    });
  }

  /**
   * Settles the chosen messages, oldest first; the others keep their places. The replacement of a message is
   * confirmed before the message is removed: a process that is killed loses none, and repeats at most the
   * current one.
   *
   * @param settle called with each chosen message, which stays unless `take` removes it
   * @returns the keys of the messages that were not reached: the signal was aborted first, or they no longer
   *   exist
   * @throws BrokerError if the broker refuses the user, is under an alarm, or the connection is lost; settled
   *   messages stay settled
   */
  async settle(
    { chosen, signal, waiting }: SettleOptions,
    settle: (kept: Kept, take: (instead?: OutgoingMessage) => Promise<TakeOutcome>) => Promise<void>,
  ): Promise<ReadonlySet<string>> {
    const { prefix, queue } = this.#options;
    const { model } = this.#connection;
    await using publishing = await connect(this.#options);
    const publisher = new ConfirmedPublisher();
    // Pending publishes of a lost connection fail.
    publishing.model.on('close', () => publisher.close());
    const lock = new QueueLock(lockOf(busNames(prefix), queue), publisher);
    const left = new Set(chosen);
    const walkOver = () =>
      lock.walk(model, this.name, WALK, async (messages) => {
        const untilMs = performance.now() + ROUND_MS;
        for await (const { message, acknowledge } of messages) {
          const facts = keptMessageOf(message, this.#keys);
          // The walk reads to the end in any case, so that all messages return to their places.
          if (signal.aborted || performance.now() > untilMs || !left.delete(facts.key)) continue;
          await settle({ facts, message }, (instead) => take(publisher, acknowledge, instead));
        }
      });
    return await this.#explained(async () => {
      await publisher.attach(publishing.model);
      // A round without progress may have met messages that another reader holds.
      for (let idle = 0; left.size > 0 && idle < MAX_READS && !signal.aborted;) {
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

  /** Turns errors of the connection into a BrokerError; programming errors stay as they are. */
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
  // The acknowledgement is sent before this returns: a process that is killed repeats no message that it has
  // reported.
  await turn();
  return 'done';
}
