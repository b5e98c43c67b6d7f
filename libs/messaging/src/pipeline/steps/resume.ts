import { UnconfirmedError } from '../../rabbitmq/publishing/confirmed-publisher.ts';
import { InterruptedRuns } from '../interrupted-runs.ts';
import type { Step } from '../step.ts';

/**
 * Has a report go on after its last confirmed page, if its connection went and this worker gets it again: the pages keep
 * their numbers, and a change of the total since the first of them is noticed.
 */
export const resume = (runs = new InterruptedRuns()): Step => {
  return async (command, next) => {
    if (command.lane !== 'reports') return next(command);
    const key = runs.begin(command);
    let comesAgain = false;
    try {
      return await next(command);
    } catch (thrown) {
      comesAgain = thrown instanceof UnconfirmedError;
      throw thrown;
    } finally {
      // What is settled without a connection comes again, too.
      if (!comesAgain && command.delivery.isAlive) runs.end(key, command);
    }
  };
};
