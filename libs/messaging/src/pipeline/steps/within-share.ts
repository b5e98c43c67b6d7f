import { CommandError } from '#contracts';
import type { Window } from '#resilience';

import type { Step } from '../step.ts';

/**
 * Keeps what waits for one operation of one operator from filling the lane. A report waits in its own lane.
 *
 * @throws CommandError `OVERLOADED`
 */
export const withinShare =
  (window: Window): Step =>
  (command, next) => {
    const { envelope, lane, run } = command;
    if (lane === 'interactive') {
      run.holding = window.enter(`${envelope.type} ${envelope.operator}`);
      if (!run.holding) throw new CommandError('OVERLOADED');
    }
    return next(command);
  };

/** What a compartment is of, by its name in the window. */
export function compartmentOf(name: string): { readonly operator: string; readonly operation: string } {
  const [operation = ''] = name.split(' ', 1);
  return { operation, operator: name.slice(operation.length + 1) };
}
