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
  (command, next) =>
    next(command).catch(async (thrown: unknown) => {
      // A page that is under way takes its number, or leaves it to the reply.
      const unconfirmed = await unconfirmedPage(command);
      return settlementOf(command, unconfirmed ?? thrown, nowMs());
    });

/** Why the broker did not take the page that is under way; `undefined` if it did, or if there is none. */
async function unconfirmedPage({ run }: Command): Promise<UnconfirmedError | undefined> {
  try {
    await run.sending;
  } catch (error) {
    if (error instanceof UnconfirmedError) return error;
  }
  return undefined;
}

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
