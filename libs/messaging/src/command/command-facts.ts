import { type ErrorBody, LONGEST_DEADLINE_MS } from '#contracts';
import { pointerForLogs } from '#contracts/validation';

import { isCopy } from '../envelope/seal.ts';
import { sentAtMsOf } from '../envelope/read-deadline.ts';
import type { CommandFacts, FailureFacts } from '../observer/messaging-observer.ts';
import type { Command } from './command.ts';

/** The caller chooses an operator's name, which may have 64 KiB. */
const LONGEST_OPERATOR = 100;
const MOST_POINTERS = 10;
const LONGEST_POINTER = 100;
const LONGEST_REASON = 300;

/** Returns what logs and metrics may contain of a command. */
export function factsOf({ envelope, trace, attempts, receivedAtMs, nowMs }: Command): CommandFacts {
  const { id, correlationId, knownType, operator, subject, lane } = envelope;
  // A traceparent is `00-<trace id>-<span id>-<flags>`.
  const traceId = trace?.traceId ?? envelope.traceparent?.slice(3, 35);
  return {
    id,
    correlationId,
    type: knownType ?? 'unknown',
    operator: operator.slice(0, LONGEST_OPERATOR),
    ...(subject !== undefined && { subject }),
    lane,
    attempts,
    durationMs: nowMs() - receivedAtMs,
    ...(traceId !== undefined && { traceId }),
  };
}

/**
 * Returns status, pointers and reason of a failure. Texts of the platform in the error body are already
 * redacted.
 */
export function failureFactsOf({ message, violations, platform, details }: ErrorBody): FailureFacts {
  const pointers = [
    ...(violations ?? []).map(pointerForLogs),
    ...(platform?.errors ?? []).map(({ pointer }) => pointer),
  ]
    .filter((pointer) => pointer !== undefined)
    .slice(0, MOST_POINTERS)
    .map((pointer) => pointer.slice(0, LONGEST_POINTER));
  const rules = [...new Set(violations?.map((violation) => violation.message))];
  const { reason: cause, unansweredMs } = details ?? {};
  const reason = typeof cause === 'string' ? cause : rules.join('; ') || message;
  return {
    ...(platform && { status: platform.status }),
    ...(pointers.length > 0 && { pointers }),
    reason: reason.slice(0, LONGEST_REASON),
    ...(typeof unansweredMs === 'number' && { unansweredMs }),
  };
}

/**
 * Returns how long a command waited in its queue before a worker first received it, in milliseconds,
 * truncated to whole seconds like AMQP timestamps; 0 if the caller's clock is ahead.
 *
 * @returns undefined if it was received before, its caller sent no usable timestamp, or the wait would exceed
 *   any deadline, in which case the caller's clock is wrong
 */
export function waitedMs({ delivery, envelope, receivedAtMs }: Command): number | undefined {
  const { fields, properties } = delivery.message;
  const sentAtMs = sentAtMsOf(properties.timestamp);
  if (fields.redelivered || isCopy(envelope.own) || sentAtMs === undefined) return undefined;
  const waited = (Math.floor(receivedAtMs / 1000) - Math.floor(sentAtMs / 1000)) * 1000;
  return waited <= LONGEST_DEADLINE_MS ? Math.max(0, waited) : undefined;
}
