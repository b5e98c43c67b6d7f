import { CommandError } from '#contracts';
import { DeadlineExceeded } from '#resilience';

import type { Command } from '../../command/command.ts';
import { UnconfirmedError } from '../../rabbitmq/publishing/confirmed-publisher.ts';
import { errorBodyOf } from '../../replies/error-body-of.ts';
import type { Settlement } from '../settlement.ts';
import type { Step } from '../step.ts';

/** The one funnel from what was thrown to a failure with a code. What follows of it is for the steps around. */
export const answerFailures =
  (nowMs: () => number): Step =>
  async (command, next) => {
    try {
      return await next(command);
    } catch (thrown) {
      return settlementOf(command, thrown, nowMs());
    }
  };

function settlementOf(command: Command, thrown: unknown, nowMs: number): Settlement {
  // The broker did not take a page: nothing is decided.
  if (thrown instanceof UnconfirmedError) return { kind: 'return', cause: thrown };
  const error = toCommandError(thrown, command.run.attempts);
  const reply = { type: 'command.failed', data: errorBodyOf(error, command, nowMs) } as const;
  return { kind: 'answer', reply, cause: error.cause };
}

function toCommandError(thrown: unknown, attempts: number): CommandError {
  if (thrown instanceof CommandError) return thrown;
  if (thrown instanceof DeadlineExceeded) {
    return new CommandError('COMMAND_EXPIRED', { details: { called: attempts > 0 } });
  }
  return new CommandError('INTERNAL_ERROR', { cause: thrown });
}
