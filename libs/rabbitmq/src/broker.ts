import type { ChannelModel } from 'amqplib';

import { adviceOn, type MissingPermission, missingPermissionIn, type Permissions } from './access.ts';
import { BrokerConnection, type ConnectionState } from './connection/broker-connection.ts';
import { type BrokerRelease, releaseOf } from './connection/broker-release.ts';
import { brokerUserOf, type ConnectionTls } from './connection/connect.ts';
import { depthOf, onChannel } from './connection/on-channel.ts';
import { within } from './connection/time-limits.ts';
import type { QueueConsumer } from './consuming/queue-consumer.ts';
import { ConfirmedPublisher } from './publishing/confirmed-publisher.ts';
import { declareTopology, type Topology, type TopologyMismatchError } from './topology/declare-topology.ts';
import { Upkeep } from './upkeep.ts';

/** How long publishing waits after a reconnect until all of the topology is declared again. */
const REDECLARE_WAIT_MS = 1_000;
/** For a connection whose node confirms nothing that is published. */
const ANSWER_TIMEOUT_MS = 2_000;

export interface BrokerOptions {
  /** The service's; the broker's management shows it with the use of each connection. */
  readonly name: string;
  /** The nodes of one cluster. They hold a password. */
  readonly urls: readonly string[];
  readonly tls?: ConnectionTls | undefined;
  /** The names of the headers that are decoded. Default: all. */
  readonly knownHeaders?: ReadonlySet<string>;
  readonly topology: Topology;
  /** Exchanges that the service publishes to; '' is the default one, from which any queue is reached. */
  readonly publishesTo: readonly string[];
  /** What the service needs, for the advice on what to grant. */
  readonly permissions: Permissions;
  /** Called with each connection that begins to consume. */
  readonly onConsuming: (connection: ChannelModel) => void;
  readonly onState: (connection: 'consuming' | 'publishing', state: ConnectionState) => void;
  /** Called with what the user lacks, and what to do; with `undefined` once it has it again. */
  readonly onAccess: (advice: string | undefined) => void;
  /** Called with the broker's release when it is first known, and when it is another one. */
  readonly onRelease: (release: BrokerRelease) => void;
  /** Called at the first connection if what exists on the broker differs from the topology: a person must decide. */
  readonly onMismatch: (error: TopologyMismatchError) => void;
  readonly random: () => number;
}

/**
 * The two connections of a service and what lives on them. One consumes and one publishes: under an alarm the broker
 * blocks publishers, and acknowledgements on the same connection would stop with them. Nothing is consumed unless it is
 * known that the outcome can be published.
 */
export class Broker {
  readonly publisher = new ConfirmedPublisher({
    onRefused: (refusal) => this.#upkeep.repair(refusal),
    onSilence: () => void this.#checkConsuming(),
  });
  readonly #options: BrokerOptions;
  readonly #publishing: BrokerConnection;
  readonly #consuming: BrokerConnection;
  readonly #upkeep: Upkeep;
  #consumers: readonly QueueConsumer[] = [];
  #release: BrokerRelease | undefined;
  /** Whether it was asked over the present connection whether the service may publish. */
  #isChecked = false;

  constructor(options: BrokerOptions) {
    this.#options = options;
    this.#publishing = this.#connection('publishing', (model) => this.#setUpPublishing(model));
    this.#consuming = this.#connection('consuming', async (model) => options.onConsuming(model));
    this.#upkeep = new Upkeep({
      ...options,
      reads: () => this.#consumers.map(({ queue }) => queue),
      // Under an alarm, the broker answers nothing on a connection that has published.
      connection: () => (this.#publishing.state.kind === 'open' ? this.#publishing.model : undefined),
      onChange: (missing) => {
        this.#holdConsumers();
        options.onAccess(missing && this.#adviceOn(missing));
      },
    });
  }

  get isConnected(): boolean {
    return this.#publishing.isUsable && this.#consuming.isUsable && !this.#upkeep.missing;
  }

  /** Why it is not connected, why the broker blocks publishers, or what its user lacks; `undefined` if all is well. */
  get lastError(): string | undefined {
    const refusals = this.#consumers.map(
      ({ lastError }) => lastError && missingPermissionIn(lastError, 'read'),
    );
    const missing = this.#upkeep.missing ?? refusals.find((refusal) => refusal !== undefined);
    return this.#publishing.lastError ?? this.#consuming.lastError ?? (missing && this.#adviceOn(missing));
  }

  /** The release of the broker that was connected to last. */
  get release(): BrokerRelease | undefined {
    return this.#release;
  }

  /** Begins to connect; returns at once. Consuming begins when replies can be published. */
  open(consumers: readonly QueueConsumer[]): void {
    this.#consumers = consumers;
    this.#holdConsumers();
    for (const consumer of consumers)
      consumer.start(this.#consuming, (model) => this.#declareQueue(model, consumer.queue));
    this.#publishing.open();
    this.#upkeep.schedule();
  }

  async close(): Promise<void> {
    this.#upkeep.close();
    this.publisher.close();
    await this.#consuming.close();
    await this.#publishing.close();
  }

  /** Declares everything again, because a queue of it was found missing. */
  redeclare(): Promise<void> {
    return this.#upkeep.redeclare();
  }

  /** How many messages wait in a queue, `undefined` if the broker does not tell, or there is no such queue. */
  async depthOf(queue: string): Promise<number | undefined> {
    const { model } = this.#publishing;
    return model && depthOf(model, queue).catch(() => undefined);
  }

  /** The reason of a failure for people, with what to do if a permission is missing. */
  describe(error: Error): string {
    const missing = missingPermissionIn(error, 'read');
    return missing ? this.#adviceOn(missing) : error.message;
  }

  #connection(
    use: 'publishing' | 'consuming',
    setUp: (model: ChannelModel) => Promise<void>,
  ): BrokerConnection {
    const { name, urls, tls, knownHeaders, random, onState } = this.#options;
    return new BrokerConnection({
      urls,
      tls,
      knownHeaders,
      random,
      setUp,
      name: `${name} ${use}`,
      onState: (state) => {
        if (use === 'publishing' && state.kind !== 'open' && state.kind !== 'blocked')
          this.#isChecked = false;
        this.#holdConsumers();
        onState(use, state);
      },
    });
  }

  async #setUpPublishing(model: ChannelModel): Promise<void> {
    this.#learnRelease(releaseOf(model));
    const looked = this.#upkeep.look(model);
    // What existed before most likely still does; a queue that is missing is declared again when it is needed.
    if (this.#upkeep.wasComplete)
      await within(REDECLARE_WAIT_MS, 'the topology', looked).catch(() => undefined);
    else await looked;
    await this.publisher.attach(model);
    this.#isChecked = true;
    this.#consuming.open();
  }

  #declareQueue(model: ChannelModel, queue: string): Promise<void> {
    const { queues, bindings } = this.#options.topology;
    return declareTopology(model, {
      exchanges: [],
      queues: queues.filter(({ name }) => name === queue),
      bindings: bindings.filter((binding) => binding.queue === queue),
    });
  }

  /**
   * Gives the consuming connection up if it does not answer either: its node is paused, or cut off, which its heartbeat
   * would notice after ten seconds and more.
   */
  async #checkConsuming(): Promise<void> {
    const { model } = this.#consuming;
    if (!model) return;
    try {
      await onChannel(model, ANSWER_TIMEOUT_MS, 'a question', () => Promise.resolve());
    } catch (error) {
      this.#consuming.reset(model, (error as Error).message);
    }
  }

  #holdConsumers(): void {
    const isHeld = !this.#publishing.isUsable || !this.#isChecked || this.#upkeep.missing !== undefined;
    for (const consumer of this.#consumers) consumer.hold(isHeld);
  }

  #adviceOn(missing: MissingPermission): string {
    const [url = ''] = this.#options.urls;
    const virtualHost = decodeURIComponent(new URL(url).pathname.slice(1)) || '/';
    return adviceOn(missing, this.#options.permissions, brokerUserOf(url), virtualHost);
  }

  #learnRelease(release: BrokerRelease): void {
    const isKnown = this.#release?.version === release.version;
    this.#release = release;
    if (!isKnown) this.#options.onRelease(release);
  }
}
