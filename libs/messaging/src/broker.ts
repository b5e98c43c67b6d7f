import { setTimeout as sleep } from 'node:timers/promises';

import type { ChannelModel } from 'amqplib';

import { BrokerConnection, type ConnectionState } from './connection/broker-connection.ts';
import type { QueueConsumer } from './consuming/queue-consumer.ts';
import { Watchdog } from './consuming/watchdog.ts';
import type { ConfirmedPublisher } from './publishing/confirmed-publisher.ts';
import { watchConfirms } from './publishing/watch-confirms.ts';
import { declareTopology, TopologyMismatchError } from './topology/declare-topology.ts';
import { RungKeeper } from './topology/rung-keeper.ts';
import type { Topology } from './topology/topology.ts';

/** Pause before a consumer that was lost alone is made again. */
const REBUILD_PAUSE_MS = 200;
const UNCONFIRMED = 'the broker neither confirms nor refuses what is published';
const DEAF = 'its queue holds messages, and none came';

export interface BrokerOptions {
  readonly urls: readonly string[];
  readonly topology: Topology;
  readonly publisher: ConfirmedPublisher;
  readonly consumers: readonly QueueConsumer[];
  readonly onState: (connection: 'consuming' | 'publishing', state: ConnectionState) => void;
  /** What stands on the broker differs, at the first connection: a person must decide. */
  readonly onMismatch: (error: TopologyMismatchError) => void;
  readonly random: () => number;
}

/**
 * The two connections of a worker and what lives on them. One consumes and one publishes: under an alarm the broker
 * blocks publishers, and acknowledgements on the same connection would stop with them.
 */
export class Broker {
  readonly #options: BrokerOptions;
  readonly #publishing: BrokerConnection;
  readonly #consuming: BrokerConnection;
  readonly #watchdog: Watchdog;
  readonly #rungs: RungKeeper;
  #publishModel: ChannelModel | undefined;
  #consumeModel: ChannelModel | undefined;
  #hasStood = false;

  constructor(options: BrokerOptions) {
    this.#options = options;
    this.#publishing = this.#connection('publishing', (model) => this.#setUpPublishing(model));
    this.#consuming = this.#connection('consuming', (model) => this.#setUpConsuming(model));
    this.#rungs = new RungKeeper(options.topology.rungs);
    this.#watchdog = new Watchdog(options.consumers, (consumer) => consumer.renew(DEAF));
  }

  get isConnected(): boolean {
    return [this.#publishing, this.#consuming].every(
      ({ state }) => state.kind === 'open' || state.kind === 'blocked',
    );
  }

  /** Why it is not connected, or what the broker withholds; undefined where all is well. */
  get trouble(): string | undefined {
    for (const { state } of [this.#publishing, this.#consuming]) {
      if (state.kind === 'connecting' || state.kind === 'blocked') return state.reason;
    }
    return undefined;
  }

  /** Begins to connect; returns at once. Consuming begins when replies can be published. */
  open(): void {
    this.#publishing.open();
  }

  async close(): Promise<void> {
    this.#watchdog.stop();
    this.#rungs.stop();
    await this.#consuming.close();
    await this.#publishing.close();
  }

  /** Declares everything again, where a queue of it was found missing. */
  async redeclare(): Promise<void> {
    if (this.#publishModel) await declareTopology(this.#publishModel, this.#options.topology);
  }

  /** Makes a consumer again that was lost while its connection stands. */
  async rebuild(consumer: QueueConsumer): Promise<void> {
    const model = this.#consumeModel;
    await sleep(REBUILD_PAUSE_MS);
    if (!model || model !== this.#consumeModel || this.#consuming.state.kind === 'closed') return;
    try {
      await declareTopology(model, this.#options.topology);
      await consumer.attach(model);
    } catch (error) {
      this.#consuming.reset(model, `a consumer could not be made again: ${(error as Error).message}`);
    }
  }

  #connection(
    name: 'publishing' | 'consuming',
    setUp: (model: ChannelModel) => Promise<void>,
  ): BrokerConnection {
    const { urls, random, onState } = this.#options;
    return new BrokerConnection({
      urls,
      random,
      setUp,
      name: `poker-bridge ${name}`,
      onState: (state) => onState(name, state),
    });
  }

  async #setUpPublishing(model: ChannelModel): Promise<void> {
    await this.#declare(model);
    const channel = await model.createConfirmChannel();
    channel.on('error', () => undefined);
    // A publish that the broker refuses closes the channel, most likely for an exchange that has gone.
    channel.on('close', () => this.#publishing.reset(model, 'the publishing channel was closed'));
    this.#publishModel = model;
    this.#options.publisher.attach(channel);
    const isBlocked = (): boolean => this.#publishing.state.kind === 'blocked';
    void watchConfirms(channel, isBlocked, () => this.#publishing.reset(model, UNCONFIRMED));
    this.#consuming.open();
  }

  async #setUpConsuming(model: ChannelModel): Promise<void> {
    await this.#declare(model);
    this.#consumeModel = model;
    // Also while the broker takes nothing from publishers.
    this.#rungs.keep(model);
    for (const consumer of this.#options.consumers) await consumer.attach(model);
    this.#watchdog.watch(model);
  }

  async #declare(model: ChannelModel): Promise<void> {
    try {
      await declareTopology(model, this.#options.topology);
      this.#hasStood = true;
    } catch (error) {
      if (error instanceof TopologyMismatchError && !this.#hasStood) this.#options.onMismatch(error);
      throw error;
    }
  }
}
