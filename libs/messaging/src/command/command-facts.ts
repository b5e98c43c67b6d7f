import { type ErrorBody, LONGEST_DEADLINE_MS } from '#contracts';
import { pointerForLogs } from '#contracts/validation';

import { isCopy } from '../envelope/seal.ts';
import { sentAtMsOf } from '../envelope/read-deadline.ts';
import type { CommandFacts, FailureFacts } from '../observer/messaging-observer.ts';
import type { Command } from './command.ts';

/** An operator's name comes from outside, and may fill 64 KiB. */
const LONGEST_OPERATOR = 100;
const MOST_POINTERS = 10;
const LONGEST_POINTER = 100;
const LONGEST_REASON = 300;

/** What logs and metrics may know of a command. */
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

/** Status, pointers and reason of a failure. What the body quotes of the platform has been redacted before. */
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
 * Returns how long a command waited in its queue before a worker received it for the first time, in milliseconds of whole
 * seconds, as AMQP's timestamps are: 0 if its caller's clock is ahead.
 *
 * @returns undefined if it was received before, its caller said nothing usable, or it would have waited for longer than any
 *   deadline: the caller's clock is wrong
 */
export function waitedMs({ delivery, envelope, receivedAtMs }: Command): number | undefined {
  const { fields, properties } = delivery.message;
  const sentAtMs = sentAtMsOf(properties.timestamp);
  if (fields.redelivered || isCopy(envelope.own) || sentAtMs === undefined) return undefined;
  const waited = (Math.floor(receivedAtMs / 1000) - Math.floor(sentAtMs / 1000)) * 1000;
  return waited <= LONGEST_DEADLINE_MS ? Math.max(0, waited) : undefined;
}
