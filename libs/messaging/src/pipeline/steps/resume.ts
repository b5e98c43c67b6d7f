import type { Command } from '../../command/command.ts';
import type { InterruptedRuns } from '../interrupted-runs.ts';
import type { Settlement } from '../settlement.ts';
import type { Next, Step } from '../step.ts';

/**
 * Has a report go on after its last confirmed page, if its connection went and this worker gets it again: the pages keep
 * their numbers, and a change of the total since the first of them is noticed. If only its final reply was not confirmed,
 * that one is sent again.
 */
export const resume =
  (runs: InterruptedRuns): Step =>
  (command, next) =>
    command.lane === 'reports' ? resumeReport(command, next, runs) : next(command);

async function resumeReport(command: Command, next: Next, runs: InterruptedRuns): Promise<Settlement> {
  const earlier = runs.begin(command);
  if (earlier) return earlier;
  const settlement = await next(command);
  runs.settled(command, settlement);
  return settlement;
}
