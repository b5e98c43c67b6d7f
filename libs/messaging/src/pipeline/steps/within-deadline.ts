import { DeadlineExceeded } from '#resilience';

import { UnconfirmedError } from '../../rabbitmq/publishing/confirmed-publisher.ts';
import type { Step } from '../step.ts';

/**
 * Ends a command at its deadline, whatever is still under way.
 *
 * @throws DeadlineExceeded
 * @throws UnconfirmedError if a page was under way that the broker did not take
 */
export const withinDeadline: Step = (command, next) => {
  const { deadline, run } = command;
  if (deadline.expired) throw new DeadlineExceeded();
  return deadline.race(next(command)).catch(async (thrown: unknown) => {
    // A page that is under way takes its number, or leaves it to the final reply.
    await run.sending?.catch(unlessUnconfirmed);
    throw thrown;
  });
};

/** @throws UnconfirmedError if it is given one */
function unlessUnconfirmed(thrown: unknown): void {
  if (thrown instanceof UnconfirmedError) throw thrown;
}
