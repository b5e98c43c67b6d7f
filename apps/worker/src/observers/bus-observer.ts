import type { ErrorCode, Lane, ReplyType } from '#contracts';
import {
  type CommandFacts,
  type ConnectionState,
  MessagingObserver,
  type ParkingReason,
  type RedisState,
} from '#messaging';
import type { Logger, Metrics } from '#telemetry';

import { AnsweredLine } from './answered-line.ts';

/** Logs and counts what happens on the bus: one line for each outcome, with ids and without data. */
export class BusObserver extends MessagingObserver {
  readonly #logger: Logger;
  readonly #metrics: Metrics;
  readonly #answered: AnsweredLine;
  readonly #connected = { consuming: false, publishing: false };

  constructor(logger: Logger, metrics: Metrics) {
    super();
    this.#logger = logger;
    this.#metrics = metrics;
    this.#answered = new AnsweredLine(logger);
  }

  commandTaken(lane: Lane): void {
    this.#metrics.commandsInFlight.labels(lane).value += 1;
  }

  commandReleased(lane: Lane): void {
    this.#metrics.commandsInFlight.labels(lane).value -= 1;
  }

  commandAnswered(command: CommandFacts, outcome: 'success' | ErrorCode, cause: unknown): void {
    const { type, durationMs } = command;
    this.#metrics.commands.labels(type, outcome).value += 1;
    this.#metrics.commandDuration.labels(type).observe(durationMs / 1000);
    if (outcome === 'INTERNAL_ERROR' || outcome === 'POISON_COMMAND') {
      this.#logger.error({ ...command, outcome, cause }, 'command failed by an internal error');
    } else this.#answered.write(command, outcome);
  }

  commandPostponed(command: CommandFacts, code: ErrorCode, delayMs: number): void {
    this.#logger.info({ ...command, code, delayMs }, 'command postponed');
  }

  commandMoved(command: CommandFacts, queue: string): void {
    this.#logger.warn({ ...command, queue }, 'command moved to another queue');
  }

  commandReturned(command: CommandFacts, reason: unknown): void {
    this.#logger.warn({ ...command, cause: reason }, 'command returned to its queue; it is delivered again');
  }

  commandReplayed(command: CommandFacts): void {
    this.#metrics.replays.inc();
    this.#logger.debug(command, 'command seen before; its reply is replayed');
  }

  deadLettered(command: CommandFacts, code: ErrorCode): void {
    this.#metrics.deadLetters.inc();
    this.#logger.debug({ ...command, code }, 'command dead-lettered');
  }

  replyParked(command: CommandFacts, type: ReplyType, reason: ParkingReason): void {
    this.#metrics.undeliveredReplies.inc();
    this.#logger.warn({ ...command, reply: type, reason }, 'reply parked');
  }

  repliesForwarded(queue: string, replies: number): void {
    this.#metrics.forwardedReplies.inc(replies);
    this.#logger.info({ queue, replies }, 'parked replies delivered');
  }

  connectionChanged(connection: 'consuming' | 'publishing', state: ConnectionState): void {
    this.#connected[connection] = state.kind === 'open' || state.kind === 'blocked';
    this.#metrics.brokerConnected.set(this.#connected.consuming && this.#connected.publishing ? 1 : 0);
    if (state.kind === 'open') this.#logger.info({ connection }, 'connected to the broker');
    else if (state.kind !== 'closed')
      this.#logger.warn({ connection, ...state }, 'the broker is not available');
  }

  brokerKnown(version: string, advice: string | undefined): void {
    if (advice === undefined) return;
    this.#logger.warn({ version, advice }, 'the broker needs a setting for fast recovery');
  }

  redisChanged(redis: RedisState): void {
    if (redis.kind === 'available') this.#logger.info('Redis connected; deduplication is shared');
    else this.#logger.warn({ redis }, 'Redis is away; each worker deduplicates by itself');
  }

  consumerLost(queue: string, reason: string): void {
    this.#logger.warn({ queue, reason }, 'consumer lost; it is recreated');
  }
}
