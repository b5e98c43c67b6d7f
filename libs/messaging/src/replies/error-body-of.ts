import type { CommandError, ErrorBody } from '#contracts';

import type { Command } from '../command/command.ts';

/** The error body of a failed command. Source: bus contract, section 4. */
export function errorBodyOf(error: CommandError, { envelope, run }: Command, nowMs: number): ErrorBody {
  return {
    code: error.code,
    category: error.category,
    retryable: error.retryable,
    message: error.message,
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
    ...(error.violations && { violations: error.violations }),
    ...(error.details && { details: error.details }),
    ...(error.platform && { platform: error.platform }),
    attempts: run.attempts,
    command: { id: envelope.id, type: envelope.type },
    occurredAt: new Date(nowMs).toISOString(),
  };
}
