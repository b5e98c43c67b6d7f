import type { ChannelModel } from 'amqplib';

import { NOT_FOUND } from '../channel/refusal.ts';
import type { PublishRefusedError } from '../outgoing-message.ts';
import { adviceOn, checkPublishing, checkReading, type Permissions } from './access.ts';
import { declareTopology, type Topology } from './topology.ts';

/** Deleted queues and exchanges are redeclared within 30 s. */
const CHECK_INTERVAL_MS = 10_000;
/** The interval while a permission is missing. */
const REFUSED_INTERVAL_MS = 2_000;

export interface TopologyOptions {
  /** The nodes of the cluster, for advice that names the user and the virtual host. */
  readonly urls: readonly string[];
  readonly topology: Topology;
  /** Exchanges that the service publishes to. '' is the default exchange, which reaches any queue. */
  readonly publishesTo: readonly string[];
  /** The permissions that the service needs, for advice when one is missing. */
  readonly permissions: Permissions;
  /** Called with advice when a permission is missing, and with `undefined` when it is granted again. */
  readonly onAccess: (advice: string | undefined) => void;
  /**
   * Called with a sentence if the broker has a queue or exchange with other properties. `wasComplete`: all
   * parts were declared before.
   */
  readonly onMismatch: (mismatch: string, wasComplete: boolean) => void;
}

/** Keeps a topology declared, and knows which permissions its user lacks. */
export class TopologyKeeper {
  readonly #options: TopologyOptions;
  /** Returns the connection for requests; `undefined` while the broker would not answer. */
  readonly #connection: () => ChannelModel | undefined;
  #queues: readonly string[] = [];
  #wasComplete = false;
  #mismatch: string | undefined;
  #advice: string | undefined;
  /** Resolvers of messages that wait for a permission: true republishes the message. */
  #waiting: ((isGranted: boolean) => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: TopologyOptions, connection: () => ChannelModel | undefined) {
    this.#options = options;
    this.#connection = connection;
  }

  /** True once the whole topology was declared. */
  get wasComplete(): boolean {
    return this.#wasComplete;
  }

  /** The missing permission, and how to grant it. */
  get advice(): string | undefined {
    return this.#advice;
  }

  /** A queue or exchange that exists with other properties. */
  get mismatch(): string | undefined {
    return this.#mismatch;
  }

  /** Starts to check periodically. @param queues the queues that the service consumes */
  start(queues: readonly string[]): void {
    this.#queues = queues;
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const decide of this.#waiting.splice(0)) decide(false);
  }

  /**
   * Declares missing parts and checks permissions.
   *
   * @throws Error unless a missing permission is the only failure
   */
  async check(connection: ChannelModel): Promise<void> {
    const { topology, publishesTo, onMismatch } = this.#options;
    try {
      // Checked first, because a declaration waits for a queue without a leader.
      await checkPublishing(connection, publishesTo, topology);
      const mismatch = await declareTopology(connection, topology);
      const isNew = mismatch !== this.#mismatch;
      this.#mismatch = mismatch;
      if (mismatch !== undefined && isNew) onMismatch(mismatch, this.#wasComplete);
      this.#wasComplete = true;
      await checkReading(connection, this.#queues);
      this.#change(undefined);
    } catch (error) {
      const advice = this.adviceOn(error);
      if (advice === undefined) throw error;
      this.#change(advice);
    }
  }

  /** Redeclares the topology, or one exchange or queue of it. */
  async redeclare(only?: string): Promise<void> {
    const connection = this.#connection();
    if (connection) await declareTopology(connection, this.#options.topology, only);
  }

  /** Resolves the cause of a refusal if possible. @returns true if the message should be republished */
  async repair(refusal: PublishRefusedError): Promise<boolean> {
    if (this.#isClosed) return false;
    const advice = this.adviceOn(refusal);
    if (advice !== undefined) {
      this.#change(advice);
      return new Promise((resolve) => this.#waiting.push(resolve));
    }
    const isOwn = this.#options.topology.exchanges.some(({ name }) => name === refusal.exchange);
    if (refusal.code !== NOT_FOUND || !isOwn) return false;
    // The next check restores its bindings.
    await this.redeclare(refusal.exchange).catch(() => undefined);
    return true;
  }

  /** Returns the advice for an error about a permission; `undefined` for any other error. */
  adviceOn(error: unknown): string | undefined {
    return adviceOn(error, this.#options);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const intervalMs = CHECK_INTERVAL_MS * (0.75 + Math.random() / 2);
    const again = (): void => this.#schedule();
    const check = async (): Promise<void> => {
      const connection = this.#connection();
      if (connection) await this.check(connection);
    };
    const timeoutMs = this.#advice === undefined ? intervalMs : REFUSED_INTERVAL_MS;
    this.#timer = setTimeout(() => void check().then(again, again), timeoutMs).unref();
  }

  #change(advice: string | undefined): void {
    const hasChanged = advice !== this.#advice;
    this.#advice = advice;
    if (advice === undefined) for (const decide of this.#waiting.splice(0)) decide(true);
    if (!hasChanged) return;
    this.#options.onAccess(advice);
    this.#schedule();
  }
}
