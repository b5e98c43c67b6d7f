import { COMMAND_TYPES, ERROR_CODES, type ErrorCode, type Lane, LANES, type ReplyType } from '#contracts';
import {
  type CommandFacts,
  type ConnectionState,
  type FailureFacts,
  MessagingObserver,
  type ParkingReason,
  type Postponement,
  type RedisState,
} from '#messaging';
import type { Logger, Metrics } from '#telemetry';

import type { FailureTally } from '../console/failure-tally.ts';

/** Logs and counts what happens on the bus: one line for each outcome, with ids and without data. */
export class BusObserver extends MessagingObserver {
  readonly #connections: Record<'consuming' | 'publishing', ConnectionState['kind']> = {
    consuming: 'closed',
    publishing: 'closed',
  };

  /** @param consumed the queues that this process may consume */
  constructor(
    private readonly logger: Logger,
    private readonly metrics: Metrics,
    private readonly tally: FailureTally,
    consumed: readonly string[] = [],
  ) {
    super();
    beginAtZero(metrics, consumed);
  }

  commandTaken(lane: Lane, isRedelivered: boolean, waitedMs: number | undefined): void {
    this.metrics.commandsInFlight.labels(lane).value += 1;
    if (isRedelivered) this.metrics.redeliveries.labels(lane).value += 1;
    if (waitedMs !== undefined) this.metrics.commandWait.labels(lane).observe(waitedMs / 1000);
  }

  commandReleased(lane: Lane): void {
    this.metrics.commandsInFlight.labels(lane).value -= 1;
  }

  commandAnswered(
    command: CommandFacts,
    outcome: 'success' | ErrorCode,
    cause: unknown,
    failure?: FailureFacts,
  ): void {
    const { type, durationMs } = command;
    this.metrics.commands.labels(type, outcome).value += 1;
    this.metrics.commandDuration.labels(type).observe(durationMs / 1000);
    if (outcome !== 'success') {
      this.metrics.commandsFailed.labels(type, ERROR_CODES[outcome].category).value += 1;
      this.tally.failed(command, outcome, 'answered', failure);
    }
    if (outcome === 'INTERNAL_ERROR' || outcome === 'POISON_COMMAND') {
      this.logger.error({ ...command, outcome, cause }, 'command failed by an internal error');
    } else this.logger.info({ ...command, outcome, ...failure }, 'command answered');
  }

  commandPostponed(
    command: CommandFacts,
    code: ErrorCode,
    postponement: Postponement,
    failure: FailureFacts,
  ): void {
    this.metrics.commandsPostponed.labels(command.type, code).value += 1;
    this.tally.failed(command, code, 'postponed', failure);
    this.logger.info({ ...command, code, ...failure, ...postponement }, 'command postponed');
  }

  commandMoved(command: CommandFacts, queue: string): void {
    this.metrics.commandsMoved.labels(queue).value += 1;
    this.logger.warn({ ...command, queue }, 'command moved to another queue');
  }

  commandReturned(command: CommandFacts, reason: unknown): void {
    this.metrics.commandsReturned.labels(command.lane).value += 1;
    this.logger.warn({ ...command, cause: reason }, 'command returned to its queue; it is delivered again');
  }

  commandReplayed(command: CommandFacts): void {
    this.metrics.replays.value += 1;
    this.logger.debug(command, 'command seen before; its reply is replayed');
  }

  deadLettered(command: CommandFacts, code: ErrorCode): void {
    this.metrics.deadLetters.value += 1;
    this.logger.debug({ ...command, code }, 'command dead-lettered');
  }

  replyParked(command: CommandFacts, type: ReplyType, reason: ParkingReason): void {
    this.metrics.undeliveredReplies.value += 1;
    this.logger.warn({ ...command, reply: type, reason }, 'reply parked');
  }

  repliesForwarded(queue: string, replies: number): void {
    this.metrics.forwardedReplies.value += replies;
    this.logger.info({ queue, replies }, 'parked replies delivered');
  }

  connectionChanged(connection: 'consuming' | 'publishing', state: ConnectionState): void {
    this.#connections[connection] = state.kind;
    this.tally.connectionChanged(connection, state.kind);
    const kinds = Object.values(this.#connections);
    this.metrics.brokerConnected.value = kinds.every((kind) => kind === 'open' || kind === 'blocked') ? 1 : 0;
    this.metrics.brokerBlocked.value = kinds.includes('blocked') ? 1 : 0;
    if (state.kind === 'open') this.logger.info({ connection }, 'connected to the broker');
    else if (state.kind !== 'closed')
      this.logger.warn({ connection, ...state }, 'the broker is not available');
  }

  accessChanged(advice: string | undefined): void {
    if (advice === undefined) this.logger.info('the broker grants what the worker needs');
    else this.logger.error({ advice }, 'the broker refuses something to the worker; it takes no commands');
  }

  topologyChanged(mismatch: string): void {
    this.logger.error({ mismatch }, 'the topology on the broker was changed; it is used as it is');
  }

  brokerKnown(version: string, advice: string | undefined): void {
    if (advice === undefined) return;
    this.logger.warn({ version, advice }, 'the broker needs a setting for fast recovery');
  }

  redisChanged(redis: RedisState): void {
    if (redis.kind === 'available') this.logger.info('Redis connected; deduplication is shared');
    else this.logger.warn({ redis }, 'Redis is away; each worker deduplicates by itself');
  }

  consumerLost(queue: string, reason: string): void {
    this.metrics.consumersLost.labels(queue).value += 1;
    this.logger.warn({ queue, reason }, 'consumer lost; it is recreated');
  }
}

/** A series that appears with its first event hides that event from `increase`. */
function beginAtZero(metrics: Metrics, consumed: readonly string[]): void {
  for (const queue of consumed) metrics.consumersLost.labels(queue);
  for (const type of [...COMMAND_TYPES, 'unknown']) {
    metrics.commands.labels(type, 'success');
    for (const [code, { category }] of Object.entries(ERROR_CODES)) {
      metrics.commands.labels(type, code);
      metrics.commandsFailed.labels(type, category);
    }
  }
  for (const lane of LANES) {
    const { commandsInFlight, redeliveries, commandsReturned } = metrics;
    for (const metric of [commandsInFlight, redeliveries, commandsReturned]) metric.labels(lane);
  }
}
