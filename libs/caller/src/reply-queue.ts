import { BrokerConnection, onChannel, pause, QueueConsumer, takeLock } from '@poker-bridge/rabbitmq';

import { CallerError } from './caller-error.ts';
import type { CallerOptions, readOptions } from './caller-options.ts';
import { abortable, type Replies } from './replies.ts';
import type { ReplyDelivery } from './reply.ts';

const PREFETCH = 64;
/** An instance that does not come back leaves nothing behind. As long as parked replies are kept: a day. */
const EXPIRY = { 'x-expires': 86_400_000 };
const ANSWER_TIMEOUT_MS = 5_000;
const SET_UP_TIMEOUT_MS = 15_000;
/** Before the lock is tried again: the broker may not have noticed yet that an earlier process has gone. */
const LOCK_PAUSES_MS = [0, 200, 400, 800];
const NO_LIMIT = 1_000_000_000;

export type Model = Parameters<typeof onChannel>[0];

/**
 * The durable reply queue of this process alone, consumed over as many connections as that takes. The process holds the
 * exclusive queue `<reply queue>.lock`: a quorum queue takes a second consumer also if the first one is exclusive.
 */
export class ReplyQueue {
  readonly connection: BrokerConnection;
  readonly #replies: Replies;
  /** What it begins with; the rest is the instance, or the lowest number from 0 that no other process has. */
  readonly #prefix: string;
  readonly #isFixed: boolean;
  #name: string | undefined;
  #consumer: QueueConsumer | undefined;
  #isTaken = false;

  /** Begins to connect at once. */
  constructor(
    connectionOf: ReturnType<typeof readOptions>['connectionOf'],
    { name, instance }: CallerOptions,
    replies: Replies,
  ) {
    this.#replies = replies;
    this.#prefix = `${name}.replies.`;
    this.#isFixed = instance !== undefined;
    if (instance !== undefined) this.#name = this.#prefix + instance;
    const setUp = (model: Model): Promise<void> => this.#setUp(model);
    const consuming = connectionOf('consuming');
    this.connection = new BrokerConnection({ ...consuming, setUp, setUpTimeoutMs: SET_UP_TIMEOUT_MS });
    this.connection.open();
  }

  /** `undefined` without an instance, until a number was found. */
  get name(): string | undefined {
    return this.#name;
  }

  /** Why no replies can be received right now; `undefined` if all is well. */
  get lastError(): string | undefined {
    return this.connection.lastError ?? this.#consumer?.lastError?.message;
  }

  /** The queue, once replies can be received. @throws CallerError `LOGIN_REFUSED`, `INSTANCE_TAKEN`; the signal's reason */
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
    // What was sent before is answered to the process that has the former queue now.
    if (this.#name !== undefined && this.#name !== queue) this.#replies.lose();
    this.#name = queue;
  }

  /** @returns the queue whose lock this connection has now */
  async #lock(model: Model): Promise<string> {
    const locks = (queue: string) => takeLock(model, { name: `${queue}.lock`, arguments: {} });
    const own = this.#name;
    for (const pauseMs of own === undefined ? [] : LOCK_PAUSES_MS) {
      await pause(pauseMs);
      if (await locks(`${own}`)) return `${own}`;
    }
    if (this.#isFixed) {
      // After a reconnect it is most likely the lock of the connection that was lost: then calls wait for it.
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
