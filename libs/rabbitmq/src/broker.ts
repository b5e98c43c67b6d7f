import type { ChannelModel, Replies } from 'amqplib';

import { adviceOn, checkPublishing, checkReading, type Permissions } from './topology/access.ts';
import {
  BrokerConnection,
  type BrokerConnectionOptions,
  type ConnectionState,
} from './connection/broker-connection.ts';
import { type BrokerRelease, releaseOf } from './connection/broker-release.ts';
import { countsOf } from './channel/channel.ts';
import { codeOf, LOCKED, NOT_FOUND } from './channel/refusal.ts';
import { within } from './channel/time-limit.ts';
import type { QueueConsumer } from './consuming/queue-consumer.ts';
import { ConfirmedPublisher } from './publishing/confirmed-publisher.ts';
import { DIRECT_REPLY_TO, DirectReplies } from './publishing/direct-replies.ts';
import type { OutgoingMessage, PublishOutcome, PublishRefusedError } from './outgoing-message.ts';
import { type Declaration, declareTopology, type Topology } from './topology/topology.ts';

/** What is deleted is back within 30 s. */
const LOOK_INTERVAL_MS = 10_000;
/** While a permission is missing. */
const REFUSED_INTERVAL_MS = 2_000;
/** How long publishing waits after a reconnect until all of the topology is declared again. */
const REDECLARE_WAIT_MS = 1_000;
/** How long outcomes have to be published by another node, before their deliveries are lost. */
const LEAVE_MS = 1_500;
const DIRECT_KEYS = `${DIRECT_REPLY_TO}.`;

export interface BrokerOptions extends Omit<BrokerConnectionOptions, 'setUp' | 'onState'> {
  readonly topology: Topology;
  /** A quorum queue that keeps nothing. What is published to it is confirmed by a majority of the cluster alone. */
  readonly probeQueue: Declaration;
  /** Exchanges that the service publishes to; '' is the default one, from which any queue is reached. */
  readonly publishesTo: readonly string[];
  /** What the service needs, for the advice on what to grant. */
  readonly permissions: Permissions;
  readonly onState: (connection: 'consuming' | 'publishing', state: ConnectionState) => void;
  /** Called with what the user lacks, and what to do; with `undefined` once it has it again. */
  readonly onAccess: (advice: string | undefined) => void;
  /** Called with the broker's release when it is first known, and when it is another one. */
  readonly onRelease: (release: BrokerRelease) => void;
  /** Called with a sentence if what exists on the broker differs from the topology, all of which may have been declared before. */
  readonly onMismatch: (mismatch: string, wasComplete: boolean) => void;
}

/**
 * The connections of a service and what lives on them. One consumes and one publishes: under an alarm the broker
 * blocks publishers, and acknowledgements on the same connection would stop with them. Nothing is consumed unless it is
 * known that the outcome can be published. The topology stays declared, and so it is known what the user may do.
 */
export class Broker {
  readonly #publisher: ConfirmedPublisher;
  readonly #directReplies: DirectReplies;
  readonly #options: BrokerOptions;
  readonly #publishing: BrokerConnection;
  readonly #consuming: BrokerConnection;
  #consumers: readonly QueueConsumer[] = [];
  #release: BrokerRelease | undefined;
  /** Whether all of the topology was declared once. */
  #wasComplete = false;
  #mismatch: string | undefined;
  /** Which permission is missing, and what to do. */
  #advice: string | undefined;
  /** Decide whether a message that waits for a permission is published again. */
  #waiting: ((isGranted: boolean) => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Whether the node of the connections confirms nothing, and is not left by all of them yet. */
  #isLeaving = false;

  constructor(options: BrokerOptions) {
    const { name, urls, tls, topology, probeQueue } = options;
    this.#options = { ...options, topology: { ...topology, queues: [...topology.queues, probeQueue] } };
    this.#publisher = new ConfirmedPublisher({
      onRefused: (refusal) => this.#repair(refusal),
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

  /** The release of the broker that was connected to last. */
  get release(): BrokerRelease | undefined {
    return this.#release;
  }

  /** Why it is not connected, why the broker blocks publishers, what its user lacks, or what differs from the topology. */
  get lastError(): string | undefined {
    const errors = this.#consumers.map(({ lastError }) => lastError && adviceOn(lastError, this.#options));
    const advice = this.#advice ?? errors.find((refusal) => refusal !== undefined);
    return this.#publishing.lastError ?? this.#consuming.lastError ?? advice ?? this.#mismatch;
  }

  /** The connection that consumes, which the broker serves under an alarm, too; `undefined` while there is none. */
  get consuming(): ChannelModel | undefined {
    return this.#consuming.model;
  }

  /** The messages and consumers of a queue; `undefined` if the broker does not tell, or there is no such queue. */
  async countsOf(queue: string): Promise<Replies.AssertQueue | undefined> {
    const { consuming } = this;
    return consuming && countsOf(consuming, queue).catch(() => undefined);
  }

  /** The same, or `gone`, or `locked` if it is exclusive to its connection; `undefined` if the broker does not tell. */
  async standingOf(queue: string): Promise<Replies.AssertQueue | 'gone' | 'locked' | undefined> {
    const { consuming } = this;
    try {
      return consuming && ((await countsOf(consuming, queue)) ?? 'gone');
    } catch (error) {
      return codeOf(error) === LOCKED ? 'locked' : undefined;
    }
  }

  /** Begins to connect; returns at once. Consuming begins when replies can be published. */
  open(consumers: readonly QueueConsumer[]): void {
    this.#consumers = consumers;
    this.#holdConsumers();
    const { topology } = this.#options;
    for (const consumer of consumers)
      consumer.start(this.#consuming, (model) => declareTopology(model, topology, consumer.queue));
    this.#publishing.open();
    this.#schedule();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    for (const decide of this.#waiting.splice(0)) decide(false);
    this.#publisher.close();
    const closed = this.#directReplies.close();
    await this.#consuming.close();
    await this.#publishing.close();
    await closed;
  }

  /** Publishes as a `ConfirmedPublisher` does, to direct reply keys over a connection of their own. */
  publish(message: OutgoingMessage, isWanted: () => boolean = () => true): Promise<PublishOutcome> {
    const isDirect = message.exchange === '' && message.routingKey.startsWith(DIRECT_KEYS);
    return (isDirect ? this.#directReplies : this.#publisher).publish(message, isWanted);
  }

  /** Declares everything again, because a queue of it was found missing; or one exchange or queue alone. */
  async redeclare(only?: string): Promise<void> {
    const model = this.#answering;
    if (model) await declareTopology(model, this.#options.topology, only);
  }

  /** The reason of a failure for people, with what to do if a permission is missing. */
  describe(error: Error): string {
    return adviceOn(error, this.#options) ?? error.message;
  }

  /** The connection to ask over: under an alarm, the broker answers nothing on a connection that has published. */
  get #answering(): ChannelModel | undefined {
    return this.#publishing.state.kind === 'open' ? this.#publishing.model : undefined;
  }

  /** Whether an outcome could not be published. */
  get #isHeld(): boolean {
    return !this.#publishing.model || this.#advice !== undefined;
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
    const looked = this.#look(model);
    // What existed before most likely still does; a queue that is missing is declared again when it is needed.
    if (this.#wasComplete) await within(REDECLARE_WAIT_MS, 'the topology', looked).catch(() => undefined);
    else await looked;
    await this.#publisher.attach(model);
    this.#consuming.open();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#consuming.state.kind === 'closed') return;
    const intervalMs = LOOK_INTERVAL_MS * (0.75 + Math.random() / 2);
    const again = (): void => this.#schedule();
    const look = (): void => void this.#look(this.#answering).then(again, again);
    this.#timer = setTimeout(look, this.#advice === undefined ? intervalMs : REFUSED_INTERVAL_MS).unref();
  }

  /** Declares what is missing, and asks what the service may do. @throws Error unless all that fails is a permission */
  async #look(model: ChannelModel | undefined): Promise<void> {
    if (!model) return;
    const { topology, publishesTo, onMismatch } = this.#options;
    try {
      // First, since a queue without a leader keeps a declaration waiting.
      await checkPublishing(model, publishesTo, topology);
      const mismatch = await declareTopology(model, topology);
      const isNew = mismatch !== this.#mismatch;
      this.#mismatch = mismatch;
      if (mismatch !== undefined && isNew) onMismatch(mismatch, this.#wasComplete);
      this.#wasComplete = true;
      const queues = this.#consumers.map(({ queue }) => queue);
      await checkReading(model, queues);
      this.#change(undefined);
    } catch (error) {
      const advice = adviceOn(error, this.#options);
      if (advice === undefined) throw error;
      this.#change(advice);
    }
  }

  /** Puts right what the broker refused a message for, if that can be. @returns whether to publish it again */
  async #repair(refusal: PublishRefusedError): Promise<boolean> {
    if (this.#consuming.state.kind === 'closed') return false;
    const advice = adviceOn(refusal, this.#options);
    if (advice !== undefined) {
      this.#change(advice);
      return new Promise((resolve) => this.#waiting.push(resolve));
    }
    const isOwn = this.#options.topology.exchanges.some(({ name }) => name === refusal.exchange);
    if (refusal.code !== NOT_FOUND || !isOwn) return false;
    // What is bound to it follows with the next look.
    await this.redeclare(refusal.exchange).catch(() => undefined);
    return true;
  }

  #change(advice: string | undefined): void {
    const hasChanged = advice !== this.#advice;
    this.#advice = advice;
    if (advice === undefined) for (const decide of this.#waiting.splice(0)) decide(true);
    if (!hasChanged) return;
    this.#holdConsumers();
    this.#options.onAccess(advice);
    this.#schedule();
  }

  /**
   * Has the other connections leave the node as well, once there was time to publish outcomes by another one: with their
   * deliveries lost, they are not published. No consumer is cancelled before: without a majority its channel would hang, and
   * keep its messages for a minute.
   */
  #leaveNode(): void {
    this.#isLeaving = true;
    setTimeout(() => this.#follow(), LEAVE_MS).unref();
  }

  /** Has the other connections go by the node that is published to: of another one it is not known whether it is cut off. */
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
