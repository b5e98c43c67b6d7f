import { COMMAND_TYPES, ERROR_CODES, LANE_OF_COMMAND, LANES, platformSays } from '#contracts';
import type { ConnectionState, MessagingObserver } from '#messaging';
import type { PlatformObserver } from '#platform';
import type { Logger, Metrics } from '#telemetry';

import type { FailureTally } from '../console/failure-tally.ts';

/**
 * Logs and counts the events of the bus: one log line per outcome, with ids but without command data.
 *
 * @param consumed the queues that this process may consume
 */
export function busObserver(
  logger: Logger,
  metrics: Metrics,
  tally: FailureTally,
  consumed: readonly string[],
): MessagingObserver {
  beginAtZero(metrics, consumed);
  const connections: Record<string, ConnectionState['kind']> = { consuming: 'closed', publishing: 'closed' };
  return {
    commandTaken: (lane, isRedelivered, waitedMs) => {
      metrics.commandsInFlight.labels(lane).value += 1;
      if (isRedelivered) metrics.redeliveries.labels(lane).value += 1;
      if (waitedMs !== undefined) metrics.commandWait.labels(lane).observe(waitedMs / 1000);
    },
    commandReleased: (lane) => {
      metrics.commandsInFlight.labels(lane).value -= 1;
    },
    commandAnswered: (command, outcome, cause, failure) => {
      const { type, durationMs } = command;
      metrics.commands.labels(type, outcome).value += 1;
      metrics.commandDuration.labels(type).observe(durationMs / 1000);
      if (outcome !== 'success') {
        metrics.commandsFailed.labels(type, ERROR_CODES[outcome].category).value += 1;
        tally.failed(command, outcome, 'answered', failure);
      }
      if (outcome === 'INTERNAL_ERROR' || outcome === 'POISON_COMMAND') {
        logger.error(
          { event: 'command.internal-error', ...command, outcome, cause },
          'command failed internally',
        );
      } else logger.info({ event: 'command.answered', ...command, outcome, ...failure }, 'command answered');
    },
    commandPostponed: (command, code, postponement, failure) => {
      metrics.commandsPostponed.labels(command.type, code).value += 1;
      tally.failed(command, code, 'postponed', failure);
      logger.info(
        { event: 'command.postponed', ...command, code, ...failure, ...postponement },
        'command postponed',
      );
    },
    reportCanceled: (command) => {
      metrics.reportsCanceled.labels(command.type).value += 1;
      logger.info({ event: 'report.canceled', ...command }, 'report canceled by its caller');
    },
    commandMoved: (command, queue) => {
      metrics.commandsMoved.labels(queue).value += 1;
      logger.warn({ event: 'command.moved', ...command, queue }, 'command moved to another queue');
    },
    commandReturned: (command, cause) => {
      metrics.commandsReturned.labels(command.lane).value += 1;
      logger.warn({ event: 'command.requeued', ...command, cause }, 'command requeued');
    },
    pipelineFailed: (command, cause) => {
      metrics.pipelineErrors.value += 1;
      logger.error(
        { event: 'pipeline.failed', ...command, cause },
        'unexpected error while processing a command',
      );
    },
    commandReplayed: (command) => {
      metrics.replays.value += 1;
      logger.debug({ event: 'command.replayed', ...command }, 'duplicate command; replaying its reply');
    },
    deadLettered: (command, code) => {
      metrics.deadLetters.value += 1;
      logger.debug({ event: 'command.dead-lettered', ...command, code }, 'command dead-lettered');
    },
    replyParked: (command, reply, reason) => {
      metrics.undeliveredReplies.value += 1;
      logger.warn({ event: 'reply.parked', ...command, reply, reason }, 'reply parked');
    },
    announcementDropped: (command, reply) => {
      metrics.droppedAnnouncements.value += 1;
      logger.warn({ event: 'announcement.dropped', ...command, reply }, 'announcement dropped');
    },
    repliesForwarded: (queue, replies) => {
      metrics.forwardedReplies.value += replies;
      logger.info({ event: 'reply.delivered', queue, replies }, 'parked replies delivered');
    },
    connectionChanged: (connection, state) => {
      connections[connection] = state.kind;
      tally.troubleChanged(connection, state.kind !== 'open');
      const kinds = Object.values(connections);
      metrics.brokerConnected.value = kinds.every((kind) => kind === 'open' || kind === 'blocked') ? 1 : 0;
      metrics.brokerBlocked.value = kinds.includes('blocked') ? 1 : 0;
      if (state.kind === 'open')
        logger.info({ event: 'broker.connected', connection }, 'connected to the broker');
      else if (state.kind !== 'closed')
        logger.warn({ event: 'broker.unavailable', connection, ...state }, 'broker unavailable');
    },
    accessChanged: (advice) => {
      if (advice === undefined)
        logger.info({ event: 'broker.permission-restored' }, 'broker permissions restored; consuming again');
      else
        logger.error(
          { event: 'broker.permission-missing', advice },
          'broker permission missing; not consuming',
        );
    },
    topologyChanged: (mismatch) =>
      logger.error(
        { event: 'broker.topology-differs', mismatch },
        'broker topology differs; using it unchanged',
      ),
    brokerKnown: (version, advice) => {
      if (advice !== undefined)
        logger.warn(
          { event: 'broker.advice', version, advice },
          'broker settings recommended for fast recovery',
        );
    },
    redisChanged: (redis) => {
      if (redis.kind === 'available')
        logger.info({ event: 'redis.connected' }, 'Redis connected; deduplication is shared');
      else logger.warn({ event: 'redis.unavailable', redis }, 'Redis unavailable; deduplicating per worker');
    },
    consumerLost: (queue, reason) => {
      metrics.consumersLost.labels(queue).value += 1;
      logger.warn({ event: 'consumer.lost', queue, reason }, 'consumer lost; recreating it');
    },
  };
}

/** Counts and times the calls to the platform, and logs changes of its circuits. */
export function platformObserver(log: Logger, metrics: Metrics, tally: FailureTally): PlatformObserver {
  // The default serializer of `cause` redacts a thrown value. Here a cause is one of a closed list and safe
  // to log.
  const logger = log.child({}, { serializers: { cause: (cause: string) => cause } });
  return {
    attemptEnded: (operation, result, durationMs) => {
      metrics.platformRequests.labels(operation, result).value += 1;
      metrics.platformRequestDuration.labels(operation, result).observe(durationMs / 1000);
    },
    admissionWaited: (operation, waitedMs) =>
      metrics.admissionWait.labels(operation).observe(waitedMs / 1000),
    attemptRefused: (operation, reason) => {
      metrics.platformRefusals.labels(operation, reason).value += 1;
    },
    retried: () => {
      metrics.platformRetries.value += 1;
    },
    signatureDoubted: (operator, operation) => {
      metrics.signatureDoubts.labels(operator, operation).value += 1;
      logger.warn(
        { event: 'signature.doubted', operator, operation },
        'bad request; the signature may be wrong',
      );
    },
    circuitChanged: (operator, operation, state, cause) => {
      metrics.circuitChanges.labels(operator, operation, state).value += 1;
      tally.troubleChanged({ operation, operator }, state !== 'closed');
      const reason = cause && platformSays(cause);
      logger.warn({ event: 'circuit.changed', operator, operation, state, cause, reason }, 'circuit changed');
    },
  };
}

/**
 * Creates all series at zero. If a series appeared with its first event, `increase` would miss that event.
 */
function beginAtZero(metrics: Metrics, consumed: readonly string[]): void {
  for (const queue of consumed) metrics.consumersLost.labels(queue);
  for (const type of [...COMMAND_TYPES, 'unknown']) {
    metrics.commands.labels(type, 'success');
    for (const [code, { category }] of Object.entries(ERROR_CODES)) {
      metrics.commands.labels(type, code);
      metrics.commandsFailed.labels(type, category);
    }
  }
  for (const type of COMMAND_TYPES)
    if (LANE_OF_COMMAND[type] === 'reports') metrics.reportsCanceled.labels(type);
  for (const lane of LANES) {
    const { commandsInFlight, redeliveries, commandsReturned } = metrics;
    for (const metric of [commandsInFlight, redeliveries, commandsReturned]) metric.labels(lane);
  }
}
