import { BrokerConnection, onChannel, pause, QueueConsumer, takeLock } from '@poker-bridge/rabbitmq';

import { CallerError } from './caller-error.ts';
import type { CallerOptions, ConnectionOf } from './caller-options.ts';
import { abortable, type Replies } from './replies.ts';
import type { ReplyDelivery } from './reply.ts';

const PREFETCH = 64;
/**
 * Deletes the queue of an instance that does not return, after a day, which is also the retention of parked
 * replies.
 */
const EXPIRY = { 'x-expires': 86_400_000 };
const ANSWER_TIMEOUT_MS = 5_000;
const SET_UP_TIMEOUT_MS = 15_000;
/**
 * Pauses before attempts to take the lock, because the broker may not have noticed yet that an earlier
 * process has ended.
 */
const LOCK_PAUSES_MS = [0, 200, 400, 800];
const NO_LIMIT = 1_000_000_000;

export type Model = Parameters<typeof onChannel>[0];

/**
 * The durable reply queue of this process, consumed across reconnects. The process holds the exclusive queue
 * `<reply queue>.lock` because a quorum queue accepts a second consumer even if the first one is exclusive.
 */
export class ReplyQueue {
  readonly connection: BrokerConnection;
  readonly #replies: Replies;
  /**
   * The beginning of the queue name, followed by the instance or by the lowest number from 0 that no other
   * process uses.
   */
  readonly #prefix: string;
  readonly #isFixed: boolean;
  #name: string | undefined;
  #consumer: QueueConsumer | undefined;
  #isTaken = false;

  /** Starts to connect immediately. */
  constructor(connectionOf: ConnectionOf, { name, instance }: CallerOptions, replies: Replies) {
    this.#replies = replies;
    this.#prefix = `${name}.replies.`;
    this.#isFixed = instance !== undefined;
    if (instance !== undefined) this.#name = this.#prefix + instance;
    const setUp = (model: Model): Promise<void> => this.#setUp(model);
    const consuming = connectionOf('consuming');
    this.connection = new BrokerConnection({ ...consuming, setUp, setUpTimeoutMs: SET_UP_TIMEOUT_MS });
    this.connection.open();
  }

  /** The queue name. Without an instance, `undefined` until a number is found. */
  get name(): string | undefined {
    return this.#name;
  }

  /** Why replies cannot be received at the moment; `undefined` without a fault. */
  get lastError(): string | undefined {
    return this.connection.lastError ?? this.#consumer?.lastError?.message;
  }

  /**
   * Returns the queue name when replies can be received.
   *
   * @throws CallerError `LOGIN_REFUSED`, `INSTANCE_TAKEN`; the signal's reason
   */
  async ready(signal: AbortSignal): Promise<string> {
    for (;;) {
      signal.throwIfAborted();
      const { state } = this.connection;
      if (state.kind === 'refused') throw CallerError.of('LOGIN_REFUSED', undefined, state.reason);
      if (this.#isTaken) throw CallerError.of('INSTANCE_TAKEN', undefined, `It is ${this.#name}.`);
      if (this.connection.model && this.#name !== undefined) return this.#name;
      await abortable(this.connection.changed(), signal);
    }
  }

  async close(): Promise<void> {
    await this.#consumer?.drain(0);
    await this.connection.close();
  }

  async #setUp(model: Model): Promise<void> {
    const queue = await this.#lock(model);
    const declare = (current: Model) => declareReplyQueue(current, queue, EXPIRY);
    this.#isTaken = false;
    await declare(model);
    if (this.#consumer?.queue === queue) return;
    void this.#consumer?.drain(0);
    const handle = (delivery: ReplyDelivery) => this.#replies.take(delivery);
    this.#consumer = new QueueConsumer({ queue, prefetch: PREFETCH, handle });
    this.#consumer.start(this.connection, declare);
    // Replies to earlier commands go to the process that now uses the previous queue.
    if (this.#name !== undefined && this.#name !== queue) this.#replies.lose();
    this.#name = queue;
  }

  /** @returns the queue whose lock this connection has taken */
  async #lock(model: Model): Promise<string> {
    const locks = (queue: string) => takeLock(model, { name: `${queue}.lock`, arguments: {} });
    const own = this.#name;
    for (const pauseMs of own === undefined ? [] : LOCK_PAUSES_MS) {
      await pause(pauseMs);
      if (await locks(`${own}`)) return `${own}`;
    }
    if (this.#isFixed) {
      // After a reconnect, the lock most likely belongs to the lost connection, so calls wait for it.
      this.#isTaken = this.#consumer === undefined;
      throw new Error(`another process consumes ${own}: give each instance a name of its own`);
    }
    for (let number = 0; ; number += 1) if (await locks(this.#prefix + number)) return this.#prefix + number;
  }
}

export async function declareReplyQueue(model: Model, queue: string, args: object): Promise<void> {
  const all = { 'x-queue-type': 'quorum', 'x-delivery-limit': NO_LIMIT, ...args };
  await onChannel(model, ANSWER_TIMEOUT_MS, 'the reply queue', (channel) =>
    channel.assertQueue(queue, { durable: true, arguments: all }),
  );
}
