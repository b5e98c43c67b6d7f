import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';

import type { Lane } from '#contracts';
import { Broker, QueueConsumer } from '#rabbitmq';
import { steadyClock, Window } from '#resilience';

import type { CommandHandler } from './command/command.ts';
import { READ_HEADERS } from './envelope/seal.ts';
import type { IdempotencyStore } from './idempotency/idempotency-store.ts';
import { RedisIdempotencyStore } from './idempotency/redis-idempotency-store.ts';
import { queueOverviewOf } from './operator/queue-overview.ts';
import type { Bus, MessagingOptions } from './messaging-options.ts';
import { Pipeline } from './pipeline/pipeline.ts';
import { compartmentOf } from './pipeline/share.ts';
import { Outbox } from './replies/outbox.ts';
import { ParkedReplyForwarder } from './replies/parked-reply-forwarder.ts';
import { probeOf, topologyOf, workerPermissions } from './topology/topology.ts';

/** Times `REPORTS_PREFETCH`, of which one operator holds half. */
const REPORTS_IN_FLIGHT = 2;
/** One operation of one operator is stuck after this share of a player's budget: by default 5 s. */
const STUCK_SHARE = 1 / 3;

export type MessagingHealth = PokerTransport['health'];

/**
 * The bus as a transport of Nest: ordinary `@MessagePattern('<command type>')` methods serve the commands, with pipes, guards,
 * interceptors and filters. A handler returns its reply, or an async iterable of replies of which the last is final.
 */
export class PokerTransport extends Server implements CustomTransportStrategy {
  override readonly transportId = Symbol('poker-bridge');
  /** What the broker knows of the whole service; `undefined` if it does not answer. */
  readonly queueOverview: ReturnType<typeof queueOverviewOf>;
  /** By command type. */
  readonly #handlers = new Map<string, CommandHandler>();
  /** What Nest's base class begins with. */
  readonly #noStartHook = this.onProcessingStartHook;
  readonly #bus: Bus;
  readonly #window: Window;
  readonly #lanes: ReadonlyMap<Lane, QueueConsumer>;
  readonly #consumers: readonly QueueConsumer[];
  readonly #pipeline: Pipeline;
  readonly #broker: Broker;
  readonly #prefetch: Readonly<Record<Lane, number>>;
  readonly #forwarder: ParkedReplyForwarder;
  #closed: Promise<void> | undefined;

  constructor(options: MessagingOptions, idempotency: IdempotencyStore) {
    super();
    const { settings, tls, observer } = options;
    const { AMQP_URL: urls, AMQP_PREFIX: prefix } = settings;
    const topology = topologyOf(prefix, settings.REPORTS_RETRY_DELAYS_MS);
    const { names } = topology;
    const times = { nowMs: Date.now, clock: steadyClock, sleep };
    const bus: Bus = { ...options, ...times, idempotency, names, newId: randomUUID };
    this.#bus = bus;
    const { INTERACTIVE_PREFETCH: interactive, REPORTS_PREFETCH } = settings;
    this.#prefetch = { interactive, reports: REPORTS_IN_FLIGHT * REPORTS_PREFETCH };
    const stuckMs = settings.INTERACTIVE_DEADLINE_MS * STUCK_SHARE;
    this.#window = new Window(interactive, stuckMs, bus.clock);
    this.#broker = new Broker({
      name: 'poker-bridge',
      urls,
      knownHeaders: READ_HEADERS,
      tls,
      topology,
      probeQueue: probeOf(names),
      publishesTo: ['', names.events],
      permissions: workerPermissions(prefix),
      onState: (connection, state) => {
        // What had to wait for the broker is no operation that is stuck.
        if (state.kind === 'open') this.#window.restart();
        observer.connectionChanged(connection, state);
      },
      onAccess: (advice) => observer.accessChanged(advice),
      onRelease: ({ version, advice }) => observer.brokerKnown(version, advice),
      onMismatch: (mismatch, wasComplete) =>
        wasComplete ? observer.topologyChanged(mismatch) : options.onMismatch(mismatch),
    });
    const reports = (): QueueConsumer | undefined => this.#lanes.get('reports');
    this.#pipeline = new Pipeline(bus, {
      handlers: this.#handlers,
      outbox: new Outbox(bus, this.#broker),
      window: this.#window,
      reportPlaces: this.#prefetch.reports,
      onUnavailable: () => {
        const { pauseMs } = bus.reportsPause();
        if (pauseMs !== undefined) reports()?.pause(pauseMs);
      },
      // A long report that has shown that the platform answers does not keep its lane at one report at a time.
      onServed: () => reports()?.widenIfServed(),
    });
    const consumerOf = (queue: string, prefetch: number): QueueConsumer =>
      new QueueConsumer({
        queue,
        prefetch,
        maxBodyBytes: settings.MAX_COMMAND_BYTES,
        isServed: () => queue !== names.lanes.reports || bus.reportsPause().isServed,
        handle: (delivery) => this.#pipeline.process(delivery),
        onLost: (error) => observer.consumerLost(queue, this.#broker.describe(error)),
      });
    this.#lanes = new Map(
      settings.LANES.map((lane) => [lane, consumerOf(names.lanes[lane], this.#prefetch[lane])]),
    );
    this.#consumers = [...this.#lanes.values(), consumerOf(names.quarantine, interactive)];
    this.#forwarder = new ParkedReplyForwarder(bus, this.#broker);
    this.queueOverview = queueOverviewOf(topology, this.#broker, () => this.#forwarder.left);
  }

  /** What health shows of the bus. */
  get health() {
    const nowMs = this.#bus.nowMs();
    const { isConnected, lastError, release } = this.#broker;
    const { idempotency } = this.#bus;
    return {
      isConnected,
      /** What the broker says, if something is wrong. */
      lastError,
      /** Such as `RabbitMQ 4.3.6`; `undefined` until it was connected to once. */
      release: release && `RabbitMQ ${release.version}`,
      /** What the broker's administrator should set, if the service cannot see whether it is. */
      advice: release?.advice,
      lanes: [...this.#lanes].map(([lane, { state, inFlight }]) => ({
        lane,
        state,
        inFlight,
        /** The most that it takes at once. */
        prefetch: this.#prefetch[lane],
        /** Since the receipt of the oldest command in flight; 0 if none is. */
        oldestAgeMs: Math.max(0, nowMs - (this.#pipeline.oldestMs(lane) ?? nowMs)),
      })),
      /** The memory that all workers share; `undefined` without `REDIS_URL`. */
      redis: idempotency instanceof RedisIdempotencyStore ? idempotency.state : undefined,
      /** What each operation of each operator holds of the interactive lane, if it was used. */
      compartments: [...this.#window.holdings].map(([name, { inFlight, overflowed }]) => ({
        ...compartmentOf(name),
        inFlight,
        /** Refused with `OVERLOADED` so far, because the compartment held its share. */
        overflowed,
      })),
    };
  }

  /** Begins to serve. The callback runs at once: a broker that is away is waited for, and told by `health`. */
  listen(callback: () => void): void {
    for (const [pattern, handler] of this.messageHandlers) {
      this.#handlers.set(pattern, (data, command) => this.#call(handler, data, command));
    }
    this.#broker.open(this.#consumers);
    this.#forwarder.start();
    callback();
  }

  /** Stops once, however often it is asked: Nest closes a strategy again when it closes the application. */
  close(): Promise<void> {
    return (this.#closed ??= this.#stop());
  }

  /** There are no events of the client library to listen to; see `health` and the observer. */
  on(): never {
    throw new Error('PokerTransport has no client events; bind a MessagingObserver instead.');
  }

  unwrap<T>(): T {
    return this.#broker as T;
  }

  /** Takes nothing new, finishes what is in flight within the grace period, requeues the rest, and closes. */
  async #stop(): Promise<void> {
    const { SHUTDOWN_GRACE_MS: graceMs } = this.#bus.settings;
    const drained = this.#consumers.map((consumer) => consumer.drain(graceMs));
    await Promise.all([...drained, this.#forwarder.stop()]);
    await this.#broker.close();
  }

  /** Runs a Nest handler between the hooks that Nest's own transports call, if they are set. */
  #call(handler: MessageHandler, ...[data, command]: Parameters<CommandHandler>): Promise<unknown> {
    if (!this.onProcessingEndHook && this.onProcessingStartHook === this.#noStartHook)
      return handler(data, command);
    // A hook need not hand on what it is given to run, so the result takes a way of its own.
    return new Promise((resolve, reject) => {
      this.onProcessingStartHook(this.transportId, command as never, async () => {
        await handler(data, command).then(resolve, reject);
        this.onProcessingEndHook?.(this.transportId, command as never);
      });
    });
  }
}
