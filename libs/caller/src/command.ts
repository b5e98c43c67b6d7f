import { randomUUID } from 'node:crypto';

import {
  busNames,
  type CommandData,
  type CommandType,
  ERROR_CODES,
  type LANE_OF_COMMAND,
  LONGEST_DEADLINE_MS,
  MAX_ID_BYTES,
  SCHEMA_VERSION,
} from '@poker-bridge/contracts';

import { CallerError } from './caller-error.ts';
import type { RetryOptions } from './retries.ts';

type LaneOf = typeof LANE_OF_COMMAND;

/** A command that a player waits for, with one reply. */
export type PlayerCommand = { [T in CommandType]: LaneOf[T] extends 'interactive' ? T : never }[CommandType];

/** A command whose replies are the pages of a report. */
export type ReportCommand = Exclude<CommandType, PlayerCommand>;

/** W3C trace context. */
export interface TraceContext {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

export interface CommandOptions {
  /**
   * The idempotency key, at most 200 bytes: a command with one id runs once, however often it is sent.
   * Default: a new UUID.
   */
  readonly id?: string | undefined;
  /** The operator whose credentials the worker uses. Default: the caller's. */
  readonly operator?: string | undefined;
  /**
   * Milliseconds from now, 1 to 1,200,000; a call settles at most 1.5 s later. Default: 15 s; for a report 10
   * minutes; for a prepared command the time budget of the worker, from the arrival of the command.
   */
  readonly deadlineMs?: number | undefined;
  /** Default: the caller's. */
  readonly traceContext?: TraceContext | undefined;
}

export interface CallOptions extends CommandOptions {
  /** Ends the wait: the call rejects with the signal's reason. A command that was sent still runs. */
  readonly signal?: AbortSignal | undefined;
  /** Retry rules; false disables retries, so that the first failure ends the call. Default: the caller's. */
  readonly retry?: RetryOptions | boolean | undefined;
}

/**
 * A command that is ready to be published: plain data that can be stored as JSON, for example in a column of
 * an outbox.
 */
export type PreparedCommand = Readonly<ReturnType<typeof prepareCommand>>;

/** Values shared by all commands of one caller. */
export interface Sender {
  readonly prefix: string;
  readonly appId: string;
  readonly operator: string | undefined;
  readonly userId: string | undefined;
  readonly traceContext: () => TraceContext;
}

/**
 * Returns a command in the form in which it is published. The worker validates its data.
 *
 * @throws CallerError `VALIDATION_FAILED` if the id is not a valid message id
 * @throws RangeError if the deadline is not between 1 ms and 20 minutes
 */
export function prepareCommand<T extends CommandType>(
  { prefix, appId, userId, ...sender }: Sender,
  replyTo: string,
  type: T,
  data: CommandData[T],
  options: CommandOptions = {},
) {
  const { id = randomUUID(), operator = sender.operator, deadlineMs } = options;
  if (id === '' || !id.isWellFormed() || Buffer.byteLength(id) > MAX_ID_BYTES) {
    const message = 'must be text of 1 to 200 bytes, without lone surrogates';
    const violations = [{ pointer: '/properties/message_id', message }];
    throw new CallerError({ code: 'VALIDATION_FAILED', ...ERROR_CODES.VALIDATION_FAILED, violations });
  }
  if (deadlineMs !== undefined && !(deadlineMs >= 1 && deadlineMs <= LONGEST_DEADLINE_MS)) {
    throw new RangeError(`deadlineMs must be between 1 and ${LONGEST_DEADLINE_MS}`);
  }
  const { traceparent, tracestate } = options.traceContext ?? sender.traceContext();
  return {
    /** The command id; replies contain it as `commandId`. */
    id,
    exchange: busNames(prefix).commands,
    routingKey: type,
    /** AMQP properties, named as in amqplib. */
    properties: {
      type,
      messageId: id,
      correlationId: id,
      replyTo,
      contentType: 'application/json',
      /** Persistent. */
      deliveryMode: 2,
      appId,
      ...(userId !== undefined && { userId }),
      headers: {
        'schema-version': SCHEMA_VERSION,
        ...(operator !== undefined && { operator }),
        ...(deadlineMs !== undefined && { 'x-deadline': new Date(Date.now() + deadlineMs).toISOString() }),
        ...(traceparent !== undefined && { traceparent }),
        ...(tracestate !== undefined && { tracestate }),
      },
    },
    body: JSON.stringify(data),
  };
}
