import { DeadlineExceeded } from '#resilience';

import type { Step } from '../step.ts';

/** Ends a command at its deadline, whatever is still under way. @throws DeadlineExceeded */
export const withinDeadline: Step = (command, next) => {
  const { deadline } = command;
  if (deadline.expired) throw new DeadlineExceeded();
  return deadline.race(next(command));
};
