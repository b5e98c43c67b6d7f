import { CommandError, type Reply } from '#contracts';
import { DeadlineExceeded } from '#resilience';

import { errorBodyOf } from '../replies/error-body-of.ts';
import type { CommandInHand } from './command-in-hand.ts';

/** What a command came to. */
export interface Outcome {
  /** The final one. */
  readonly reply: Reply;
  /** Why it failed, for the log alone. */
  readonly cause?: unknown;
}

/** The one funnel from whatever was thrown to a failure with a code. */
export function failureOf(command: CommandInHand, thrown: unknown, nowMs: number): Outcome {
  const error = toCommandError(thrown, command.attempts);
  return { reply: { type: 'command.failed', data: errorBodyOf(error, command, nowMs) }, cause: error.cause };
}

function toCommandError(thrown: unknown, attempts: number): CommandError {
  if (thrown instanceof CommandError) return thrown;
  if (thrown instanceof DeadlineExceeded) {
    return new CommandError('COMMAND_EXPIRED', { details: { called: attempts > 0 } });
  }
  return new CommandError('INTERNAL_ERROR', { cause: thrown });
}
