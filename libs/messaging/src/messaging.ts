import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { compartmentIn, type Lane } from '#contracts';
import { Broker, QueueConsumer } from '#rabbitmq';
import { steadyClock, Window } from '#resilience';

import type { CommandHandler } from './command/command.ts';
import { READ_HEADERS } from './envelope/seal.ts';
import type { IdempotencyStore } from './idempotency/idempotency-store.ts';
import { RedisIdempotencyStore } from './idempotency/redis-idempotency-store.ts';
import type { MessagingOptions } from './messaging-options.ts';
import { queueOverviewOf } from './operator/queue-overview.ts';
import { Pipeline } from './pipeline/pipeline.ts';
import { Survivals } from './pipeline/survivals.ts';
import { Outbox } from './replies/outbox.ts';
import { ParkedReplyForwarder } from './replies/parked-reply-forwarder.ts';
import { ReplyQueues } from './replies/reply-queues.ts';
import { probeOf, topologyOf, workerPermissions } from './topology/topology.ts';

/**
 * Reports in flight, as a multiple of `REPORTS_PREFETCH`: one operation of one operator holds at most half of
 * them.
 */
const REPORTS_IN_FLIGHT = 2;
/**
 * Commands in quarantine, at most: as many as there are connections to the platform by default. They wait
 * there with their bodies, in addition to those of the lanes.
 */
const MAX_QUARANTINE_PREFETCH = 256;
/** An operation of an operator is stuck after this share of a player's budget: by default 5 s. */
const STUCK_SHARE = 1 / 3;

export type Messaging = ReturnType<typeof composeMessaging>;
export type MessagingHealth = ReturnType<Messaging['health']>;

/**
 * Composes the parts of the bus for one worker; nothing starts before `start`.
 *
 * @param handlers by command type; it may be filled until `start`
 */
export function composeMessaging(
  options: MessagingOptions,
  idempotency: IdempotencyStore,
  handlers: ReadonlyMap<string, CommandHandler>,
) {
  const { settings, tls, observer } = options;
  const { AMQP_PREFIX: prefix, INTERACTIVE_PREFETCH: interactive } = settings;
  const topology = topologyOf(prefix, settings.REPORTS_RETRY_DELAYS_MS);
  const { names } = topology;
  const times = { nowMs: Date.now, clock: steadyClock, sleep };
  const parts = { ...options, ...times, idempotency, names, newId: randomUUID };
  const prefetch: Readonly<Record<Lane, number>> = {
    interactive,
    reports: REPORTS_IN_FLIGHT * settings.REPORTS_PREFETCH,
  };
  const window = new Window(interactive, settings.INTERACTIVE_DEADLINE_MS * STUCK_SHARE, steadyClock);

  const broker = new Broker({
    name: 'poker-bridge',
    urls: settings.AMQP_URL,
    knownHeaders: READ_HEADERS,
    tls,
    topology,
    probeQueue: probeOf(names),
    publishesTo: ['', names.events],
    permissions: workerPermissions(prefix),
    onState: (connection, state) => {
      // The time without a broker does not make an operation stuck.
      if (state.kind === 'open') window.restart();
      if (state.kind === 'open' && connection === 'consuming') pipeline.connected();
      observer.connectionChanged(connection, state);
    },
    onAccess: (advice) => observer.accessChanged(advice),
    onRelease: ({ version, advice }) => observer.brokerKnown(version, advice),
    onMismatch: (mismatch, wasComplete) =>
      wasComplete ? observer.topologyChanged(mismatch) : options.onMismatch(mismatch),
  });

  const replyQueues = new ReplyQueues(steadyClock, broker);
  const pipeline = new Pipeline(parts, {
    handlers,
    outbox: new Outbox(parts, broker, replyQueues),
    replyQueues,
    survivals: new Survivals(names, broker),
    window,
    reportPlaces: prefetch.reports,
  });

  const consumer = (queue: string, most: number, priority?: number): QueueConsumer =>
    new QueueConsumer({
      queue,
      prefetch: most,
      priority,
      maxBodyBytes: settings.MAX_COMMAND_BYTES,
      ...(queue === names.lanes.reports && { limit: options.reportsLimit }),
      handle: pipeline.process,
      onLost: (error) => observer.consumerLost(queue, broker.describe(error)),
    });
  const lanes: ReadonlyMap<Lane, QueueConsumer> = new Map(
    settings.LANES.map((lane) => [lane, consumer(names.lanes[lane], prefetch[lane])]),
  );
  // The oldest worker serves the whole quarantine: it sees all starts that a death cut off.
  const quarantinePrefetch = Math.min(interactive, MAX_QUARANTINE_PREFETCH);
  const quarantine = consumer(names.quarantine, quarantinePrefetch, -Math.round(performance.timeOrigin));
  const consumers = [...lanes.values(), quarantine];
  const forwarder = new ParkedReplyForwarder(parts, broker);

  return {
    broker,
    queueOverview: queueOverviewOf(topology, broker, () => forwarder.left),

    /** Returns the state of the bus, as `/health` shows it. */
    health() {
      const nowMs = Date.now();
      const { isConnected, isBlocked, lastError, release } = broker;
      return {
        isConnected,
        /** True while an alarm of the broker keeps replies from leaving. */
        isBlocked,
        /** The broker's last error; undefined if there is none. */
        lastError,
        /** For example `RabbitMQ 4.3.6`; undefined before the first connection. */
        release: release && `RabbitMQ ${release.version}`,
        /** Settings that the broker's administrator should check, because the service cannot read them. */
        advice: release?.advice,
        lanes: [...lanes].map(([lane, { state, inFlight }]) => ({
          lane,
          state,
          inFlight,
          /** The maximum of commands in flight. */
          prefetch: prefetch[lane],
          /** Milliseconds since the receipt of the oldest command in flight; 0 without one. */
          oldestAgeMs: Math.max(0, nowMs - (pipeline.oldestMs(lane) ?? nowMs)),
        })),
        /** The idempotency store that all workers share; undefined without `REDIS_URL`. */
        redis: idempotency instanceof RedisIdempotencyStore ? idempotency.state : undefined,
        /** The use of the interactive lane by each operation of each operator that has used it. */
        compartments: [...window.holdings].map(([key, { inFlight, overflowed }]) => ({
          ...compartmentIn(key),
          inFlight,
          /** Commands refused with `OVERLOADED` so far, because the compartment held its share. */
          overflowed,
        })),
      };
    },

    /** Starts to connect and to serve; returns at once. */
    start(): void {
      broker.open(consumers);
      forwarder.start();
    },

    /**
     * Takes no new commands, finishes those in flight within the grace period, requeues the rest, and closes.
     */
    async stop(): Promise<void> {
      const drained = consumers.map((each) => each.drain(settings.SHUTDOWN_GRACE_MS));
      await Promise.all([...drained, forwarder.stop()]);
      await broker.close();
    },
  };
}
