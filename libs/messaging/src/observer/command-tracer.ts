import type { Context } from '@opentelemetry/api';

import type { ErrorCode } from '#contracts';
import type { OutgoingMessage } from '#rabbitmq';

import type { CommandFacts } from './messaging-observer.ts';

export interface DeliveryFacts {
  readonly queue: string;
  readonly bodyBytes: number;
  /** In the form of W3C, or absent. */
  readonly traceparent: string | undefined;
}

export interface CommandEnd {
  readonly settlement: 'answer' | 'dead-letter' | 'postpone' | 'move' | 'return';
  /** Why it failed. */
  readonly code: ErrorCode | undefined;
  /** What the platform last answered, or why it did not, if the failure is about that: `HTTP 503`, `timeout`. */
  readonly cause: string | undefined;
  /** Calls to the platform. */
  readonly attempts: number;
}

/** What a published message is: one of the service's own queues takes a copy. */
export type MessageKind = 'reply' | 'event' | 'copy';

/** The trace of one command, from its delivery to its acknowledgement. */
export interface CommandTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** What the spans of its calls are children of. */
  readonly context: Context;
  /**
   * Publishes within a span of its own. A message with a `traceparent` gets the span's, so that what its
   * consumer does belongs to the trace.
   */
  publish<T>(
    kind: MessageKind,
    message: OutgoingMessage,
    send: (message: OutgoingMessage) => Promise<T>,
  ): Promise<T>;
  end(end: CommandEnd): void;
}

/** A port: traces commands. The worker binds it to OpenTelemetry, if that is configured. */
export abstract class CommandTracer {
  abstract start(command: CommandFacts, delivery: DeliveryFacts): CommandTrace;
}
