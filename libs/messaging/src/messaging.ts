import type { Lane } from '#contracts';
import type { Window } from '#resilience';

import { Broker } from './rabbitmq/broker.ts';
import { adviceFor } from './rabbitmq/advice-for.ts';
import { HeaderSeal } from './envelope/own-headers.ts';
import type { ConsumerState } from './rabbitmq/consuming/consumer-mode.ts';
import { QueueConsumer } from './rabbitmq/consuming/queue-consumer.ts';
import type { MessagingOptions } from './messaging-options.ts';
import { compartmentOf, laneWindow } from './pipeline/lane-window.ts';
import { InterruptedRuns } from './pipeline/interrupted-runs.ts';
import { Pipeline } from './pipeline/pipeline.ts';
import { Settler } from './pipeline/settler.ts';
import { stepsOf } from './pipeline/steps.ts';
import type { CommandHandler } from './pipeline/steps/invoke.ts';
import { ConfirmedPublisher } from './rabbitmq/publishing/confirmed-publisher.ts';
import { CopyPublisher } from './rabbitmq/publishing/copy-publisher.ts';
import { DirectKeys, KeyProbe } from './rabbitmq/release-3.10/index.ts';
import { EventSender } from './replies/event-sender.ts';
import { ParkedReplyForwarder } from './replies/parked-reply-forwarder.ts';
import { Parking } from './replies/parking.ts';
import { ReplySender } from './replies/reply-sender.ts';
import { type PokerTopology, topologyOf } from './topology/topology.ts';

/** What health shows of the bus. */
export interface MessagingHealth {
  readonly isConnected: boolean;
  /** What the broker says, where something is wrong. */
  readonly lastError: string | undefined;
  /** Such as `RabbitMQ 4.3.6`; `undefined` until it was connected to once. */
  readonly release: string | undefined;
  /** What the broker's administrator should set, if the service cannot see whether it is. */
  readonly advice: string | undefined;
  readonly lanes: readonly {
    readonly lane: Lane;
    readonly state: ConsumerState;
    readonly inFlight: number;
    /** The most that it takes at once. */
    readonly prefetch: number;
    /** Since the receipt of the oldest command in flight; 0 if none is. */
    readonly oldestAgeMs: number;
  }[];
  /** What each operation of each operator holds of the interactive lane, if it was used. */
  readonly compartments: readonly {
    readonly operator: string;
    readonly operation: string;
    readonly inFlight: number;
    /** Refused with `OVERLOADED` so far, because the compartment held its share. */
    readonly overflowed: number;
  }[];
}

/** Puts the parts of the bus together: connections, consumers, and the pipeline between them. */
export class Messaging {
  readonly #options: MessagingOptions;
  readonly #publisher = new ConfirmedPublisher();
  readonly #seal: HeaderSeal;
  readonly #window: Window;
  readonly #probe: KeyProbe;
  readonly #lanes: ReadonlyMap<Lane, QueueConsumer>;
  readonly #consumers: readonly QueueConsumer[];
  readonly #pipeline: Pipeline;
  readonly #broker: Broker;
  readonly #forwarder: ParkedReplyForwarder;

  /** @param handlers by command type; may be filled until `start` */
  constructor(options: MessagingOptions, handlers: ReadonlyMap<string, CommandHandler>) {
    this.#options = options;
    this.#seal = new HeaderSeal(options.internalKeys);
    this.#window = laneWindow(options.prefetch.interactive, options.budgetMs.interactive, options.nowMs);
    this.#probe = new KeyProbe(options.urls, 'poker-bridge direct keys', options.tls);
    const topology = topologyOf(options.prefix, options.retryDelaysMs);
    this.#pipeline = this.#pipelineOf(topology, handlers);
    const consumerOf = (queue: string, prefetch: number, isServed = () => true): QueueConsumer => {
      const consumer: QueueConsumer = new QueueConsumer({
        queue,
        prefetch,
        maxBodyBytes: options.maxCommandBytes,
        isServed,
        handle: (delivery) => this.#pipeline.process(delivery),
        onLost: (reason) => {
          options.observer.consumerLost(queue, reason);
          void this.#broker.recreate(consumer);
        },
      });
      return consumer;
    };
    const { lanes, quarantine } = topology.names;
    this.#lanes = new Map(
      options.lanes.map((lane) => [
        lane,
        consumerOf(lanes[lane], options.prefetch[lane], () => options.isServed(lane)),
      ]),
    );
    this.#consumers = [...this.#lanes.values(), consumerOf(quarantine, 1)];
    this.#forwarder = new ParkedReplyForwarder({
      names: topology.names,
      publisher: this.#publisher,
      seal: this.#seal,
      observer: options.observer,
    });
    this.#broker = new Broker({
      name: 'poker-bridge',
      urls: options.urls,
      tls: options.tls,
      topology,
      publisher: this.#publisher,
      consumers: this.#consumers,
      onConsuming: (connection) => this.#forwarder.attach(connection),
      random: options.random,
      onState: (connection, state) => {
        // What had to wait for the broker is no operation that is stuck.
        if (state.kind === 'open') this.#window.restart();
        options.observer.connectionChanged(connection, state);
      },
      onRelease: (release) => options.observer.brokerKnown(release.version, adviceFor(release)),
      onMismatch: options.onMismatch,
    });
  }

  get health(): MessagingHealth {
    const lanes = [...this.#lanes].map(([lane, { state, inFlight }]) => ({
      lane,
      state,
      inFlight,
      prefetch: this.#options.prefetch[lane],
      oldestAgeMs: this.#oldestAgeMs(lane),
    }));
    const compartments = [...this.#window.holdings].map(([name, { inFlight, overflowed }]) => ({
      ...compartmentOf(name),
      inFlight,
      overflowed,
    }));
    const { isConnected, lastError, release } = this.#broker;
    return {
      isConnected,
      lastError,
      release: release && `RabbitMQ ${release.version}`,
      advice: release && adviceFor(release),
      lanes,
      compartments,
    };
  }

  /** Begins to connect and to consume; returns at once. A broker that is away is waited for. */
  start(): void {
    this.#broker.open();
  }

  /** Takes nothing new, finishes what is in flight within the grace period, requeues the rest, and closes. */
  async stop(): Promise<void> {
    const drained = this.#consumers.map((consumer) => consumer.drain(this.#options.graceMs));
    await Promise.all([...drained, this.#forwarder.stop()]);
    this.#publisher.close();
    await Promise.all([this.#broker.close(), this.#probe.close()]);
  }

  #oldestAgeMs(lane: Lane): number {
    const oldest = this.#pipeline.inFlight.oldest(lane);
    return oldest ? Math.max(0, this.#options.nowMs() - oldest.receivedAtMs) : 0;
  }

  #pause(lane: Lane): void {
    const durationMs = this.#options.pauseMs(lane);
    if (durationMs !== undefined) void this.#lanes.get(lane)?.pause(durationMs);
  }

  #pipelineOf({ names }: PokerTopology, handlers: ReadonlyMap<string, CommandHandler>): Pipeline {
    const { observer, tracer, nowMs, stallMs } = this.#options;
    const publisher = this.#publisher;
    const seal = this.#seal;
    const copies = new CopyPublisher(publisher, () => this.#broker.redeclare(), nowMs);
    const parking = new Parking(names, copies, seal, observer, nowMs);
    const depthOf = (queue: string) => this.#broker.depthOf(queue);
    const directKeys = new DirectKeys(this.#probe, nowMs);
    // A report that waits for its caller to read does not keep its lane at one command at a time.
    const onReply = (lane: Lane): void => this.#lanes.get(lane)?.widenIfServed();
    const replies = new ReplySender({ publisher, directKeys, parking, depthOf, stallMs, onReply, nowMs });
    const events = new EventSender({ names, policy: this.#options.events, publisher, parking, nowMs });
    const settler = new Settler({
      names,
      seal,
      replies,
      events,
      copies,
      onPostponed: (lane) => this.#pause(lane),
      observer,
      nowMs,
    });
    const rules = {
      maxBytes: this.#options.maxCommandBytes,
      reserved: names.reserved,
      seal,
      callers: this.#options.callers,
      subjectOf: this.#options.subjectOf,
      budgetMs: this.#options.budgetMs,
      nowMs,
      newId: this.#options.newId,
    };
    const window = this.#window;
    const interrupted = new InterruptedRuns();
    const steps = stepsOf({ ...this.#options, names, handlers, replies, window, interrupted });
    return new Pipeline(rules, steps, settler, window, interrupted, observer, tracer);
  }
}
