import type { Context } from '@opentelemetry/api';

import type { ErrorCode, Lane, ReplyType } from '#contracts';
import type { ConnectionState, Delivery, OutgoingMessage } from '#rabbitmq';

import type { RedisState } from '../idempotency/redis-connection.ts';

/** What may be told of a command: ids and names, no data. */
export interface CommandFacts {
  readonly id: string;
  readonly correlationId: string;
  /** 32 hexadecimal digits. */
  readonly traceId?: string;
  /** `unknown` if no such type exists. */
  readonly type: string;
  readonly operator: string;
  /** The player, as log lines name players; absent if they do not, or if it is about none. */
  readonly subject?: string;
  readonly lane: Lane;
  readonly attempts: number;
  readonly durationMs: number;
}

/** What a log may know of a failure beside its code. */
export interface FailureFacts {
  /** The platform's HTTP status. */
  readonly status?: number;
  /** At most ten JSON pointers into the command, or of the platform's answer. */
  readonly pointers?: readonly string[];
  /** In a sentence, without any value of the command. */
  readonly reason: string;
  /** How long the platform had not answered when the deadline passed. */
  readonly unansweredMs?: number;
}

/** What happens on the bus, for logs and metrics. The worker binds it. */
export abstract class MessagingObserver {
  /** @param waitedMs in its queue, as far as is known; undefined for a command that was received before */
  abstract commandTaken(lane: Lane, isRedelivered: boolean, waitedMs: number | undefined): void;
  /** Settled, returned or lost: no longer in flight. */
  abstract commandReleased(lane: Lane): void;
  /** A final reply was decided and, with its copies, confirmed. `cause` and `failure` are for the log. */
  abstract commandAnswered(
    command: CommandFacts,
    outcome: 'success' | ErrorCode,
    cause: unknown,
    failure?: FailureFacts,
  ): void;
  /** @param postponement where it waits, and until when, ISO 8601 */
  abstract commandPostponed(
    command: CommandFacts,
    code: ErrorCode,
    postponement: Readonly<{ delayMs: number; queue: string; until: string }>,
    failure: FailureFacts,
  ): void;
  /** Its caller has deleted the reply queue of a report, which ends without a reply. */
  abstract reportCanceled(command: CommandFacts): void;
  /** To its own lane, or to the quarantine. */
  abstract commandMoved(command: CommandFacts, queue: string): void;
  /** An error that nobody expected. The command is returned to its queue unless it was acknowledged before. */
  abstract pipelineFailed(command: Partial<CommandFacts>, error: unknown): void;
  /** Left to the broker, which delivers it again. */
  abstract commandReturned(command: CommandFacts, reason: unknown): void;
  abstract commandReplayed(command: CommandFacts): void;
  abstract deadLettered(command: CommandFacts, code: ErrorCode): void;
  abstract replyParked(command: CommandFacts, type: ReplyType, reason: ParkingReason): void;
  /** A listener refused an announcement, and this worker has parked as many as it may. */
  abstract announcementDropped(command: CommandFacts, type: ReplyType): void;
  abstract repliesForwarded(queue: string, replies: number): void;
  abstract connectionChanged(connection: 'consuming' | 'publishing', state: ConnectionState): void;
  /** The broker refuses something to the worker's user: what, and what to do; `undefined` once it does not any more. */
  abstract accessChanged(advice: string | undefined): void;
  /** Somebody has declared a part of the topology again with other properties; it is used as it is. */
  abstract topologyChanged(mismatch: string): void;
  /** `advice` is what its administrator should set, if anything. */
  abstract brokerKnown(version: string, advice: string | undefined): void;
  /** Whether deduplication is shared between workers, if it is meant to be. */
  abstract redisChanged(state: RedisState): void;
  abstract consumerLost(queue: string, reason: string): void;
}

/** Why a reply queue takes nothing. `unreachable` is not full, and refuses or does not answer: one without a leader, for example. */
export type QueueState = 'full' | 'gone' | 'unreachable';

export type ParkingReason =
  'REPLY_QUEUE_FULL' | 'REPLY_QUEUE_GONE' | 'REPLY_QUEUE_UNREACHABLE' | 'EVENT_REFUSED';

export type MessageKind = 'reply' | 'event' | 'copy';

/** The trace of one command, from its delivery to its acknowledgement. */
export interface CommandTrace {
  readonly traceId: string;
  /** What the spans of its calls are children of. */
  readonly context: Context;
  /** Publishes within a span of its own, whose `traceparent` a message with one gets: its consumer belongs to the trace. */
  publish<T>(
    kind: MessageKind,
    message: OutgoingMessage,
    send: (message: OutgoingMessage) => Promise<T>,
  ): Promise<T>;
  end(end: {
    readonly settlement: 'answer' | 'dead-letter' | 'postpone' | 'cancel' | 'move' | 'return';
    readonly code: ErrorCode | undefined;
    /** What the platform last answered, or why it did not, if the failure is about that: `HTTP 503`, `timeout`. */
    readonly cause: string | undefined;
    readonly attempts: number;
  }): void;
}

/** A port: traces commands. The worker binds it to OpenTelemetry, if that is configured. */
export abstract class CommandTracer {
  abstract start(
    command: CommandFacts,
    delivery: Pick<Delivery, 'queue' | 'bodyBytes'> & { readonly traceparent: string | undefined },
  ): CommandTrace;
}
