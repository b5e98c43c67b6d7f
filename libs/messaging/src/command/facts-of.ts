import { isCommandType } from '#contracts';

import type { CommandFacts } from '../observer/messaging-observer.ts';
import type { Command } from './command.ts';

/** It comes from outside, and may fill 64 KiB. */
const LONGEST_OPERATOR = 100;

/** What logs and metrics may know of a command. */
export function factsOf({ envelope, lane, run, receivedAtMs }: Command, nowMs: number): CommandFacts {
  const { id, correlationId, type, operator } = envelope;
  return {
    id,
    correlationId,
    type: isCommandType(type) ? type : 'unknown',
    operator: operator.slice(0, LONGEST_OPERATOR),
    lane,
    attempts: run.attempts,
    durationMs: nowMs - receivedAtMs,
  };
}
