import type { Context } from '@opentelemetry/api';

import type { ErrorCode, Lane, ReplyType } from '#contracts';
import type { ConnectionState, Delivery, OutgoingMessage } from '#rabbitmq';

import type { RedisState } from '../idempotency/redis-connection.ts';

/** The facts of a command that may be logged: ids and names, no data. */
export interface CommandFacts {
  readonly id: string;
  readonly correlationId: string;
  /** 32 hexadecimal digits. */
  readonly traceId?: string;
  /** `unknown` if no such type exists. */
  readonly type: string;
  readonly operator: string;
  /** The name of the player in log lines; absent if players are not logged, or if the command has none. */
  readonly subject?: string;
  readonly lane: Lane;
  readonly attempts: number;
  readonly durationMs: number;
}

/** The facts of a failure, apart from its code, that may be logged. */
export interface FailureFacts {
  readonly status?: number;
  /** At most ten JSON pointers into the command or the platform's answer. */
  readonly pointers?: readonly string[];
  /** A sentence without any value of the command. */
  readonly reason: string;
  /** How long the platform had not answered at the deadline, in milliseconds. */
  readonly unansweredMs?: number;
}

/** Receives the events of the bus, for logs and metrics. Bound by the worker. */
export abstract class MessagingObserver {
  /**
   * A command was received.
   *
   * @param waitedMs time in its queue, if known; undefined for a command that was received before
   */
  abstract commandTaken(lane: Lane, isRedelivered: boolean, waitedMs: number | undefined): void;
  /** A command was settled, requeued or lost, and is no longer in flight. */
  abstract commandReleased(lane: Lane): void;
  /** A final reply and its copies were confirmed. `cause` and `failure` are for the log. */
  abstract commandAnswered(
    command: CommandFacts,
    outcome: 'success' | ErrorCode,
    cause: unknown,
    failure?: FailureFacts,
  ): void;
  /**
   * A report was moved to a retry queue.
   *
   * @param postponement the queue and the end of the wait, ISO 8601
   */
  abstract commandPostponed(
    command: CommandFacts,
    code: ErrorCode,
    postponement: Readonly<{ delayMs: number; queue: string; until: string }>,
    failure: FailureFacts,
  ): void;
  /** A report ended without a reply because its caller deleted the reply queue. */
  abstract reportCanceled(command: CommandFacts): void;
  abstract commandMoved(command: CommandFacts, queue: string): void;
  /** An unexpected error. The command is requeued unless it was acknowledged before. */
  abstract pipelineFailed(command: Partial<CommandFacts>, error: unknown): void;
  /** A command was requeued or lost, and the broker redelivers it. */
  abstract commandReturned(command: CommandFacts, reason: unknown): void;
  abstract commandReplayed(command: CommandFacts): void;
  abstract deadLettered(command: CommandFacts, code: ErrorCode): void;
  abstract replyParked(command: CommandFacts, type: ReplyType, reason: ParkingReason): void;
  /** A listener refused an announcement, and this worker has already parked as many as it may. */
  abstract announcementDropped(command: CommandFacts, type: ReplyType): void;
  abstract repliesForwarded(queue: string, replies: number): void;
  abstract connectionChanged(connection: 'consuming' | 'publishing', state: ConnectionState): void;
  /**
   * The worker's broker user lacks a permission: which one, and what to do. Called with undefined once it is
   * granted.
   */
  abstract accessChanged(advice: string | undefined): void;
  /** A part of the topology was redeclared with other properties. It is used as it is. */
  abstract topologyChanged(mismatch: string): void;
  /** The broker's release is known. `advice` names the settings that its administrator should check. */
  abstract brokerKnown(version: string, advice: string | undefined): void;
  /** The state of the connection to Redis has changed; not called without `REDIS_URL`. */
  abstract redisChanged(state: RedisState): void;
  abstract consumerLost(queue: string, reason: string): void;
}

/**
 * Why a reply queue accepts nothing. An `unreachable` queue is not full but refuses or does not answer, for
 * example because it has no leader.
 */
export type QueueState = 'full' | 'gone' | 'unreachable';

export type ParkingReason =
  'REPLY_QUEUE_FULL' | 'REPLY_QUEUE_GONE' | 'REPLY_QUEUE_UNREACHABLE' | 'EVENT_REFUSED';

export type MessageKind = 'reply' | 'event' | 'copy';

/** The trace of one command, from its delivery to its acknowledgement. */
export interface CommandTrace {
  readonly traceId: string;
  /** The parent of the spans of its calls. */
  readonly context: Context;
  /**
   * Publishes a message in a span of its own. If the message has a `traceparent`, it becomes that of the
   * span, so that the consumer joins the trace.
   */
  publish<T>(
    kind: MessageKind,
    message: OutgoingMessage,
    send: (message: OutgoingMessage) => Promise<T>,
  ): Promise<T>;
  end(end: {
    readonly settlement: 'answer' | 'dead-letter' | 'postpone' | 'cancel' | 'move' | 'return';
    readonly code: ErrorCode | undefined;
    /**
     * The platform's last answer, or why there was none: `HTTP 503`, `timeout`; undefined if the failure has
     * another cause.
     */
    readonly cause: string | undefined;
    readonly attempts: number;
  }): void;
}

/** Port that traces commands. Bound by the worker to OpenTelemetry if that is configured. */
export abstract class CommandTracer {
  abstract start(
    command: CommandFacts,
    delivery: Pick<Delivery, 'queue' | 'bodyBytes'> & { readonly traceparent: string | undefined },
  ): CommandTrace;
}
