import { isCommandType } from '#contracts';

import type { CommandFacts } from '../observer/messaging-observer.ts';
import type { Command } from './command.ts';

/** It comes from outside, and may fill 64 KiB. */
const LONGEST_OPERATOR = 100;

/** What logs and metrics may know of a command. */
export function factsOf({ envelope, lane, run, receivedAtMs }: Command, nowMs: number): CommandFacts {
  const { id, correlationId, type, operator, subject } = envelope;
  const traceId = run.trace?.traceId ?? traceIdIn(envelope.traceparent);
  return {
    id,
    correlationId,
    type: isCommandType(type) ? type : 'unknown',
    operator: operator.slice(0, LONGEST_OPERATOR),
    ...(subject !== undefined && { subject }),
    lane,
    attempts: run.attempts,
    durationMs: nowMs - receivedAtMs,
    ...(traceId !== undefined && { traceId }),
  };
}

/** `00-<trace id>-<span id>-<flags>` */
function traceIdIn(traceparent: string | undefined): string | undefined {
  return traceparent?.slice(3, 35);
}
