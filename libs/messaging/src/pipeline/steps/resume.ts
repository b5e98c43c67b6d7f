import type { InterruptedRuns } from '../interrupted-runs.ts';
import type { Step } from '../step.ts';

/**
 * Has a report go on after its last confirmed page, if its connection went and this worker gets it again: the pages keep
 * their numbers, and a change of the total since the first of them is noticed. If only its final reply was not confirmed,
 * that one is sent again.
 */
export const resume = (runs: InterruptedRuns): Step => {
  return async (command, next) => {
    if (command.lane !== 'reports') return next(command);
    const decided = runs.begin(command);
    if (decided) return decided;
    const settlement = await next(command);
    runs.decided(command, settlement);
    return settlement;
  };
};
