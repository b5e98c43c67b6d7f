import { setImmediate as turn } from 'node:timers/promises';

import type { ConsumeMessage } from 'amqplib';

import { BriefConnection } from '../connection/brief-connection.ts';
import { BrokerError, type ConnectOptions } from '../connection/connect.ts';
import { countsOf, pause } from '../connection/questions.ts';
import { ConfirmedPublisher } from '../publishing/confirmed-publisher.ts';
import {
  type OutgoingMessage,
  type PublishOutcome,
  UnconfirmedError,
} from '../publishing/outgoing-message.ts';
import type { QueueDeclaration } from '../topology.ts';
import { QueueLock } from './queue-lock.ts';
import { QueueWalk } from './walk-queue.ts';

const DEPTH_TIMEOUT_MS = 5_000;
/** A person who looks can end it; a broker that is lost is noticed by its heartbeat. */
const SILENCE_MS = 60_000;
/** The broker takes back a message that somebody has held for half an hour. */
const ROUND_MS = 10 * 60_000;
const MAX_LOOKS = 4;
const PAUSE_MS = 200;
/** How long this waits while another person or worker settles messages. */
const LONGEST_WAIT_MS = 60_000;

export interface KeptQueueOptions<Facts> extends ConnectOptions {
  /** The nodes of one cluster. They hold a password. */
  readonly urls: readonly string[];
  readonly queue: string;
  /** Held while messages are settled: two at once would mix up their order. */
  readonly lock: QueueDeclaration;
  /** What a message says about itself; its key is the same each time that it is looked at, and of no other. */
  readonly read: (message: ConsumeMessage) => Facts;
}

/** A message with what it says about itself. */
export interface Kept<Facts> {
  readonly facts: Facts;
  readonly message: ConsumeMessage;
}

/** What became of a message: gone from the queue, or why it is still there. */
export type KeptOutcome =
  | 'done'
  | 'left'
  /** It was written by hand, and cannot be published at all. */
  | 'unwritable'
  | Exclude<PublishOutcome, 'confirmed'>;

export interface SettleOptions<Facts> {
  /** The keys of those that are settled; the others stay where they are. */
  readonly chosen: ReadonlySet<string>;
  /** What is published, and confirmed, before a message is removed; `remove`: nothing; `leave`: it stays. */
  readonly decide: (kept: Kept<Facts>) => OutgoingMessage | 'remove' | 'leave';
  readonly settled: (facts: Facts, outcome: KeptOutcome) => void;
  readonly ratePerSecond: number;
  /** Ends it after the message that is under way. */
  readonly signal: AbortSignal;
  /** Called if another person or worker settles messages, and this waits for its turn. */
  readonly waiting: () => void;
  /** How long messages are held at once, default ten minutes. */
  readonly roundMs?: number;
}

/** A queue that keeps messages for people, for one of them who looks into it and acts. */
export class KeptQueue<Facts extends { readonly key: string }> implements AsyncDisposable {
  readonly name: string;
  readonly #options: KeptQueueOptions<Facts>;
  /** Consumes; an alarm of the broker does not keep it from returning what it holds. */
  readonly #connection: BriefConnection;
  readonly #publisher = new ConfirmedPublisher();
  #publishing: BriefConnection | undefined;
  readonly #lock: QueueLock;

  private constructor(connection: BriefConnection, options: KeptQueueOptions<Facts>) {
    this.name = options.queue;
    this.#options = options;
    this.#connection = connection;
    this.#lock = new QueueLock(options.lock, this.#publisher);
  }

  /** @throws BrokerError */
  static async open<Facts extends { readonly key: string }>(
    options: KeptQueueOptions<Facts>,
  ): Promise<KeptQueue<Facts>> {
    const connection = await BriefConnection.open(options.urls, options);
    const kept = new KeptQueue(connection, options);
    try {
      await kept.#depth();
      return kept;
    } catch (error) {
      await kept[Symbol.asyncDispose]();
      throw connection.faultOf(error);
    }
  }

  /**
   * Reads every message, oldest first, and leaves all of them in their places. If somebody else holds messages at that
   * moment, all are read again from the first one.
   *
   * @param read what is wanted of a message; undefined if nothing is
   * @throws BrokerError if the broker refuses the user, or the connection is lost
   */
  look<T>(read: (kept: Kept<Facts>) => T | undefined): Promise<T[]> {
    return this.#explained(async () => {
      for (let looks = 1; ; looks += 1) {
        const found: T[] = [];
        let shown = 0;
        await this.#walk((kept) => {
          shown += 1;
          const wanted = read(kept);
          if (wanted !== undefined) found.push(wanted);
        });
        if ((await this.#depth()) <= shown || looks === MAX_LOOKS) return found;
      }
    });
  }

  /**
   * Settles the chosen messages, oldest first. Each is published, and confirmed, before it is removed: a process that is
   * killed loses none, and at most repeats the one that was under way. The others keep their places, unless it is killed.
   *
   * @returns the keys of those that it did not come to: it was ended before, or they have gone
   * @throws BrokerError if the broker refuses the user, is under an alarm, or the connection is lost; what was settled until
   *   then is settled
   */
  settle(options: SettleOptions<Facts>): Promise<ReadonlySet<string>> {
    return this.#explained(async () => {
      const left = new Set(options.chosen);
      this.#publishing ??= await this.#openPublishing();
      try {
        if (!(await this.#takeTurn(options))) return left;
        // A round that brings nothing may have met messages that somebody else holds for a look.
        for (let idle = 0; left.size > 0 && idle < MAX_LOOKS && !options.signal.aborted;) {
          const before = left.size;
          await this.#round(left, options);
          if ((await this.#depth()) === 0) break;
          idle = left.size < before ? 0 : idle + 1;
        }
        return left;
      } finally {
        await this.#lock.release(this.#connection.model);
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#publisher.close();
    await this.#publishing?.[Symbol.asyncDispose]();
    await this.#connection[Symbol.asyncDispose]();
  }

  async #openPublishing(): Promise<BriefConnection> {
    const connection = await BriefConnection.open(this.#options.urls, this.#options);
    // What waits for an answer of a connection that is lost fails.
    connection.model.on('close', () => this.#publisher.close());
    await this.#publisher.attach(connection.model);
    return connection;
  }

  /** @returns whether it is this one's turn; not if the signal was aborted before */
  async #takeTurn({ signal, waiting }: SettleOptions<Facts>): Promise<boolean> {
    const untilMs = performance.now() + LONGEST_WAIT_MS;
    for (let tries = 1; !signal.aborted; tries += 1) {
      if (await this.#lock.isHeldBy(this.#connection.model)) return true;
      if (tries === 1) waiting();
      if (performance.now() > untilMs)
        throw new BrokerError('queue-busy', `Somebody has been settling ${this.name} for a minute.`);
      await pause(PAUSE_MS, signal);
    }
    return false;
  }

  /** One walk, which takes from `left` what is settled. */
  async #round(left: Set<string>, options: SettleOptions<Facts>): Promise<void> {
    const { ratePerSecond, signal, roundMs = ROUND_MS } = options;
    const untilMs = performance.now() + roundMs;
    await this.#walk(async (kept, remove) => {
      // What is not settled any more is walked past all the same, so that all of it is back in its place.
      if (signal.aborted || performance.now() > untilMs || !left.delete(kept.facts.key)) return;
      const outcome = await this.#settleOne(kept, options, remove);
      options.settled(kept.facts, outcome);
      if (outcome !== 'left') await pause(1_000 / ratePerSecond, signal);
    });
  }

  async #settleOne(
    kept: Kept<Facts>,
    { decide }: SettleOptions<Facts>,
    remove: () => void,
  ): Promise<KeptOutcome> {
    const decision = decide(kept);
    if (decision === 'leave') return 'left';
    if (decision !== 'remove') {
      const outcome = await this.#publisher.publish(decision).catch((error: unknown) => {
        if (error instanceof UnconfirmedError) throw error;
        return 'unwritable' as const;
      });
      if (outcome !== 'confirmed') return outcome;
    }
    remove();
    // The acknowledgement leaves before `settled` is called: a process that is killed repeats nothing that it has reported.
    await turn();
    return 'done';
  }

  async #walk(visit: (kept: Kept<Facts>, remove: () => void) => Promise<void> | void): Promise<void> {
    await using walk = await QueueWalk.open(this.#connection.model, this.name, { silenceMs: SILENCE_MS });
    for await (const { message, acknowledge } of walk.messages())
      await visit({ facts: this.#options.read(message), message }, acknowledge);
  }

  async #depth(): Promise<number> {
    const counts = await countsOf(this.#connection.model, this.name, DEPTH_TIMEOUT_MS);
    if (!counts) throw new BrokerError('queue-missing', `The broker has no queue ${this.name}.`);
    return counts.messageCount;
  }

  /** Says what went wrong with the broker; an error of the visitor of the messages stays what it is. */
  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof TypeError) throw error;
      throw (this.#publishing?.isBlocked ? this.#publishing : this.#connection).faultOf(error);
    }
  }
}
