import type { ChannelModel, Replies } from 'amqplib';

import {
  BrokerConnection,
  type BrokerConnectionOptions,
  type ConnectionState,
} from './connection/broker-connection.ts';
import { type BrokerRelease, releaseOf } from './connection/broker-release.ts';
import { countsOf } from './channel/channel.ts';
import { codeOf, LOCKED } from './channel/refusal.ts';
import { within } from './channel/time-limit.ts';
import type { QueueConsumer } from './consuming/queue-consumer.ts';
import { ConfirmedPublisher } from './publishing/confirmed-publisher.ts';
import { DIRECT_REPLY_TO, DirectReplies } from './publishing/direct-replies.ts';
import type { OutgoingMessage, PublishOutcome } from './outgoing-message.ts';
import { type Declaration, declareTopology } from './topology/topology.ts';
import { TopologyKeeper, type TopologyOptions } from './topology/topology-keeper.ts';

/** How long publishing waits after a reconnect for the topology to be redeclared. */
const REDECLARE_WAIT_MS = 1_000;
/** The time to publish outcomes over another node before their deliveries are dropped. */
const LEAVE_MS = 1_500;
const DIRECT_KEYS = `${DIRECT_REPLY_TO}.`;

export interface BrokerOptions extends Omit<BrokerConnectionOptions, 'setUp' | 'onState'>, TopologyOptions {
  /**
   * A quorum queue that stores nothing. A confirm of a message to it proves that the node reaches a majority
   * of the cluster.
   */
  readonly probeQueue: Declaration;
  readonly onState: (connection: 'consuming' | 'publishing', state: ConnectionState) => void;
  /** Called with the broker's release when it becomes known and when it changes. */
  readonly onRelease: (release: BrokerRelease) => void;
}

/**
 * The connections of a service with its consumers and publisher. One connection consumes and one publishes:
 * under an alarm the broker blocks publishing connections, and acknowledgements on the same connection would
 * be blocked too. Messages are consumed only while outcomes can be published. The topology and the
 * permissions are checked periodically.
 */
export class Broker {
  readonly #publisher: ConfirmedPublisher;
  readonly #directReplies: DirectReplies;
  readonly #options: BrokerOptions;
  readonly #publishing: BrokerConnection;
  readonly #consuming: BrokerConnection;
  readonly #topology: TopologyKeeper;
  #consumers: readonly QueueConsumer[] = [];
  #release: BrokerRelease | undefined;
  /** True while the connections are leaving a node that confirms nothing. */
  #isLeaving = false;

  constructor(options: BrokerOptions) {
    const { name, urls, tls, topology, probeQueue } = options;
    this.#options = { ...options, topology: { ...topology, queues: [...topology.queues, probeQueue] } };
    const onAccess = (advice: string | undefined): void => {
      this.#holdConsumers();
      options.onAccess(advice);
    };
    this.#topology = new TopologyKeeper({ ...this.#options, onAccess }, () => this.#answering);
    this.#publisher = new ConfirmedPublisher({
      onRefused: (refusal) => this.#topology.repair(refusal),
      onSilence: () => this.#leaveNode(),
      probe: probeMessage(probeQueue),
    });
    this.#publishing = this.#connection('publishing', { setUp: (model) => this.#setUpPublishing(model) });
    const follows = this.#publishing;
    this.#consuming = this.#connection('consuming', { follows });
    this.#directReplies = new DirectReplies({ name: `${name} direct replies`, urls, tls, follows });
  }

  get isConnected(): boolean {
    return this.consuming !== undefined && !this.#isHeld && !this.#isLeaving;
  }

  /** True while an alarm of the broker (memory, disk) keeps it from accepting messages. */
  get isBlocked(): boolean {
    return this.#publishing.state.kind === 'blocked';
  }

  /** The release of the broker at the last connect. */
  get release(): BrokerRelease | undefined {
    return this.#release;
  }

  /**
   * Why it is not connected, why the broker blocks publishers, which permission is missing, or how the
   * topology differs.
   */
  get lastError(): string | undefined {
    const errors = this.#consumers.map(({ lastError }) => lastError && this.#topology.adviceOn(lastError));
    const advice = this.#topology.advice ?? errors.find((refusal) => refusal !== undefined);
    return this.#publishing.lastError ?? this.#consuming.lastError ?? advice ?? this.#topology.mismatch;
  }

  /**
   * The consuming connection, which the broker also serves under an alarm; `undefined` while there is none.
   */
  get consuming(): ChannelModel | undefined {
    return this.#consuming.model;
  }

  /**
   * Returns the messages and consumers of a queue; `gone` if it does not exist, `locked` if it is exclusive
   * to another connection, and `undefined` if the broker does not answer.
   */
  async standingOf(queue: string): Promise<Replies.AssertQueue | 'gone' | 'locked' | undefined> {
    const { consuming } = this;
    try {
      return consuming && ((await countsOf(consuming, queue)) ?? 'gone');
    } catch (error) {
      return codeOf(error) === LOCKED ? 'locked' : undefined;
    }
  }

  /** Starts to connect, and returns at once. Consuming starts when replies can be published. */
  open(consumers: readonly QueueConsumer[]): void {
    this.#consumers = consumers;
    this.#holdConsumers();
    const { topology } = this.#options;
    for (const consumer of consumers)
      consumer.start(this.#consuming, (model) => declareTopology(model, topology, consumer.queue));
    this.#publishing.open();
    this.#topology.start(consumers.map(({ queue }) => queue));
  }

  async close(): Promise<void> {
    this.#topology.close();
    this.#publisher.close();
    const closed = this.#directReplies.close();
    await this.#consuming.close();
    await this.#publishing.close();
    await closed;
  }

  /** Publishes as `ConfirmedPublisher.publish` does; direct replies use a separate connection. */
  publish(message: OutgoingMessage, isWanted: () => boolean = () => true): Promise<PublishOutcome> {
    const isDirect = message.exchange === '' && message.routingKey.startsWith(DIRECT_KEYS);
    return (isDirect ? this.#directReplies : this.#publisher).publish(message, isWanted);
  }

  redeclare(): Promise<void> {
    return this.#topology.redeclare();
  }

  /** Returns the reason of a failure for people, with advice if a permission is missing. */
  describe(error: Error): string {
    return this.#topology.adviceOn(error) ?? error.message;
  }

  /**
   * The connection for requests; `undefined` under an alarm, when the broker does not answer a connection
   * that has published.
   */
  get #answering(): ChannelModel | undefined {
    return this.#publishing.state.kind === 'open' ? this.#publishing.model : undefined;
  }

  /** True if an outcome could not be published now. */
  get #isHeld(): boolean {
    return !this.#publishing.model || this.#topology.advice !== undefined;
  }

  #connection(
    use: 'publishing' | 'consuming',
    options: Pick<BrokerConnectionOptions, 'setUp' | 'follows'>,
  ): BrokerConnection {
    return new BrokerConnection({
      ...this.#options,
      ...options,
      name: `${this.#options.name} ${use}`,
      onState: (state) => {
        if (use === 'publishing' && state.kind === 'open' && !this.#isLeaving) this.#follow();
        this.#holdConsumers();
        this.#options.onState(use, state);
      },
    });
  }

  async #setUpPublishing(model: ChannelModel): Promise<void> {
    const known = this.#release;
    this.#release = releaseOf(model);
    if (this.#release.version !== known?.version) this.#options.onRelease(this.#release);
    const checked = this.#topology.check(model);
    // After a reconnect the topology most likely still exists, and a missing queue is redeclared when it is
    // needed.
    if (this.#topology.wasComplete)
      await within(REDECLARE_WAIT_MS, 'the topology', checked).catch(() => undefined);
    else await checked;
    await this.#publisher.attach(model);
    this.#consuming.open();
  }

  /**
   * Makes the other connections leave the node after a pause, during which outcomes are published over
   * another node: the outcome of a lost delivery is not published. Consumers are not cancelled first, because
   * without a majority their channels would hang and keep their messages for a minute.
   */
  #leaveNode(): void {
    this.#isLeaving = true;
    setTimeout(() => this.#follow(), LEAVE_MS).unref();
  }

  /** Moves the other connections to the publishing node, the only one that is known to reach the majority. */
  #follow(): void {
    const node = this.#isLeaving ? undefined : this.#publishing.url;
    this.#isLeaving = false;
    const reason = 'its node confirms nothing of what is published, or publishing goes by another one';
    for (const connection of [this.#consuming, ...this.#directReplies.connections])
      connection.leave(reason, node);
    this.#holdConsumers();
  }

  #holdConsumers(): void {
    if (this.#isLeaving) return;
    for (const consumer of this.#consumers) consumer.hold(this.#isHeld);
  }
}

function probeMessage({ name: routingKey }: Declaration): OutgoingMessage {
  return {
    exchange: '',
    routingKey,
    content: Buffer.alloc(0),
    mandatory: false,
    properties: { headers: {} },
  };
}
