import { setTimeout as sleep } from 'node:timers/promises';

import type { ChannelModel } from 'amqplib';

import { within } from '#resilience';
import type { TlsContext } from '#tls';

import { type BrokerRelease, releaseOf } from './connection/broker-release.ts';
import { BrokerConnection, type ConnectionState } from './connection/broker-connection.ts';
import { depthOf } from './connection/depth-of.ts';
import { onChannel } from './connection/on-channel.ts';
import { promptWrites } from './connection/prompt-writes.ts';
import type { QueueConsumer } from './consuming/queue-consumer.ts';
import { Watchdog } from './consuming/watchdog.ts';
import type { ConfirmedPublisher } from './publishing/confirmed-publisher.ts';
import { declareTopology, TopologyMismatchError } from './topology/declare-topology.ts';
import type { Topology } from './topology/topology.ts';

/** Pause before a consumer that was lost alone is recreated. */
const RECREATE_PAUSE_MS = 200;
/** A channel that hangs on a queue without a leader still hangs after the election; doubled at each try, for a slow broker. */
const FIRST_CONSUME_TIMEOUT_MS = 1_500;
const LONGEST_CONSUME_TIMEOUT_MS = 4_000;
/** How long one consumer may fail before the connection is given up for another node. */
const RECREATE_FOR_MS = 5_000;
/** How long publishing waits after a reconnect until all of the topology is declared again. */
const REDECLARE_WAIT_MS = 1_000;
/** A connection is not given up more often than that for one consumer: the others on it are well. */
const CONNECTION_KEPT_MS = 60_000;
/** Of a connection whose node confirms nothing that is published. */
const ANSWER_TIMEOUT_MS = 2_000;
const DEAF = 'its queue holds messages, and none came';

export interface BrokerOptions {
  /** Of the service; the broker's management shows it with the use of each connection. */
  readonly name: string;
  readonly urls: readonly string[];
  /** Of `amqps` URLs. Default: what Node.js trusts, and no client certificate. */
  readonly tls?: TlsContext | undefined;
  readonly topology: Topology;
  readonly publisher: ConfirmedPublisher;
  readonly consumers: readonly QueueConsumer[];
  /** Called with each connection that begins to consume. */
  readonly onConsuming: (connection: ChannelModel) => void;
  readonly onState: (connection: 'consuming' | 'publishing', state: ConnectionState) => void;
  /** Called with the broker's release when it is first known, and when it is another one. */
  readonly onRelease: (release: BrokerRelease) => void;
  /** What stands on the broker differs from the topology, at the first connection: a person must decide. */
  readonly onMismatch: (error: TopologyMismatchError) => void;
  readonly random: () => number;
}

/**
 * The two connections of a service and what lives on them. One consumes and one publishes: under an alarm the broker
 * blocks publishers, and acknowledgements on the same connection would stop with them.
 */
export class Broker {
  readonly #options: BrokerOptions;
  readonly #publishing: BrokerConnection;
  readonly #consuming: BrokerConnection;
  readonly #watchdog: Watchdog;
  /** Those that do not consume yet, with the connection that they are to consume over. */
  readonly #starting = new Map<QueueConsumer, ChannelModel>();
  #publishModel: ChannelModel | undefined;
  #consumeModel: ChannelModel | undefined;
  #consumingSinceMs = 0;
  #release: BrokerRelease | undefined;
  #hasStood = false;

  constructor(options: BrokerOptions) {
    this.#options = options;
    this.#publishing = this.#connection('publishing', (model) => this.#setUpPublishing(model));
    this.#consuming = this.#connection('consuming', (model) => this.#setUpConsuming(model));
    this.#watchdog = new Watchdog(options.consumers, (consumer) => consumer.reset(DEAF));
  }

  get isConnected(): boolean {
    return [this.#publishing, this.#consuming].every(
      ({ state }) => state.kind === 'open' || state.kind === 'blocked',
    );
  }

  /** Why it is not connected, or why the broker blocks publishers; `undefined` if all is well. */
  get lastError(): string | undefined {
    for (const { state } of [this.#publishing, this.#consuming]) {
      if (state.kind === 'connecting' || state.kind === 'blocked') return state.reason;
    }
    return undefined;
  }

  /** Of the broker that was connected to last. */
  get release(): BrokerRelease | undefined {
    return this.#release;
  }

  /** Begins to connect; returns at once. Consuming begins when replies can be published. */
  open(): void {
    this.#publishing.open();
  }

  async close(): Promise<void> {
    this.#watchdog.stop();
    await this.#consuming.close();
    await this.#publishing.close();
  }

  /** Declares everything again, because a queue of it was found missing. */
  async redeclare(): Promise<void> {
    if (this.#publishModel) await declareTopology(this.#publishModel, this.#options.topology);
  }

  /** How many messages wait in a queue, `undefined` if the broker does not tell. */
  async depthOf(queue: string): Promise<number | undefined> {
    return this.#publishModel && depthOf(this.#publishModel, queue).catch(() => undefined);
  }

  /** Recreates a consumer that was lost while its connection stands. */
  async recreate(consumer: QueueConsumer): Promise<void> {
    const model = this.#consumeModel;
    // A connection that has gone meanwhile is followed by another one, which has all of them consume.
    if (model) await this.#start(consumer, model, RECREATE_PAUSE_MS).catch(() => undefined);
  }

  #connection(
    use: 'publishing' | 'consuming',
    setUp: (model: ChannelModel) => Promise<void>,
  ): BrokerConnection {
    const { name, urls, tls, random, onState } = this.#options;
    return new BrokerConnection({
      urls,
      tls,
      random,
      setUp,
      name: `${name} ${use}`,
      onState: (state) => onState(use, state),
    });
  }

  async #setUpPublishing(model: ChannelModel): Promise<void> {
    await this.#declare(model);
    this.#publishModel = model;
    const connection = this.#publishing;
    await this.#options.publisher.attach({
      openChannel: () => model.createConfirmChannel(),
      giveUp: (reason) => {
        connection.reset(model, reason);
        void this.#checkConsuming();
      },
      get isBlocked() {
        return connection.state.kind === 'blocked';
      },
    });
    this.#consuming.open();
  }

  /**
   * Gives the consuming connection up if it does not answer either: its node is paused, or cut off, which its heartbeat
   * would notice after ten seconds and more.
   */
  async #checkConsuming(): Promise<void> {
    const model = this.#consumeModel;
    if (!model || !this.#consuming.isCurrent(model)) return;
    try {
      await onChannel(model, ANSWER_TIMEOUT_MS, 'a question', () => Promise.resolve());
    } catch (error) {
      this.#consuming.reset(model, messageOf(error));
    }
  }

  /** Done when the first queue is consumed: the others follow as soon as they can be. */
  async #setUpConsuming(model: ChannelModel): Promise<void> {
    promptWrites(model);
    this.#consumeModel = model;
    this.#consumingSinceMs = performance.now();
    this.#learnRelease(releaseOf(model));
    this.#watchdog.watch(model);
    this.#options.onConsuming(model);
    await Promise.any(this.#options.consumers.map((consumer) => this.#start(consumer, model, 0)));
  }

  /**
   * Has a queue consumed, over as many channels as that takes, for as long as the connection stands.
   *
   * @throws Error if the connection has gone
   */
  async #start(consumer: QueueConsumer, model: ChannelModel, firstPauseMs: number): Promise<void> {
    if (this.#starting.get(consumer) === model) return;
    this.#starting.set(consumer, model);
    const startedMs = performance.now();
    let timeoutMs = FIRST_CONSUME_TIMEOUT_MS;
    for (let pauseMs = firstPauseMs; ; pauseMs = RECREATE_PAUSE_MS) {
      if (pauseMs > 0) await sleep(pauseMs);
      if (!this.#consuming.isCurrent(model)) throw new Error('the connection has gone');
      try {
        if (pauseMs > 0) await declareTopology(model, this.#options.topology);
        await consumer.attach(model, timeoutMs);
        break;
      } catch (error) {
        timeoutMs = Math.min(2 * timeoutMs, LONGEST_CONSUME_TIMEOUT_MS);
        if (this.#isStuck(startedMs)) this.#consuming.reset(model, `${consumer.queue}: ${messageOf(error)}`);
      }
    }
    if (this.#starting.get(consumer) === model) this.#starting.delete(consumer);
  }

  #learnRelease(release: BrokerRelease): void {
    const isKnown = this.#release?.version === release.version;
    this.#release = release;
    if (!isKnown) this.#options.onRelease(release);
  }

  #isStuck(sinceMs: number): boolean {
    const nowMs = performance.now();
    return nowMs - sinceMs > RECREATE_FOR_MS && nowMs - this.#consumingSinceMs > CONNECTION_KEPT_MS;
  }

  async #declare(model: ChannelModel): Promise<void> {
    const declared = declareTopology(model, this.#options.topology);
    try {
      // What stood before most likely still does; a queue that is missing is declared again when it is needed.
      await (this.#hasStood ? within(REDECLARE_WAIT_MS, 'the topology', declared) : declared);
      this.#hasStood = true;
    } catch (error) {
      if (this.#hasStood) return;
      if (error instanceof TopologyMismatchError) this.#options.onMismatch(error);
      throw error;
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
