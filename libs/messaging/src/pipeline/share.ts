import { CommandError } from '#contracts';
import { type Clock, type Holding, Window } from '#resilience';

import type { Command } from '../command/command.ts';
import { settlementOf } from '../command/settlement.ts';
import type { Step } from './step.ts';

/** Of what a player waits for: by default 5 s. */
const STUCK_SHARE = 1 / 3;

/**
 * The window of the players' lane of one worker.
 *
 * @param prefetch commands in flight at most
 * @param budgetMs of a command without a deadline
 */
export function laneWindow(prefetch: number, budgetMs: number, clock: Clock): Window {
  return new Window(prefetch, budgetMs * STUCK_SHARE, clock);
}

/** One operation of one operator. */
export function compartmentNameOf({ envelope }: Command): string {
  return `${envelope.type} ${envelope.operator}`;
}

/** What a compartment is of, by its name. */
export function compartmentOf(name: string): { readonly operator: string; readonly operation: string } {
  const [operation = ''] = name.split(' ', 1);
  return { operation, operator: name.slice(operation.length + 1) };
}

/**
 * Keeps what waits for one operation of one operator from filling the players' lane, until the command is settled. It stands
 * behind `once`: what a command was answered before it was delivered again holds, whatever the lane holds by then.
 */
export function share(window: Window, nowMs: () => number): Step {
  return (command, next) => {
    const compartment = compartmentNameOf(command);
    const holding = window.enter(compartment);
    if (holding === undefined) {
      window.overflow(compartment);
      return Promise.resolve(settlementOf(command, new CommandError('OVERLOADED'), nowMs()));
    }
    const startedAtMs = window.now();
    command.atEnd(() => window.leave(holding, startedAtMs));
    return next(command);
  };
}

/**
 * The place of a repeat that waits for the first command: beside its compartment if that holds its share.
 *
 * @throws CommandError `OVERLOADED`
 */
export function enterAsRepeat(window: Window, command: Command): Holding {
  const compartment = compartmentNameOf(command);
  const holding = window.enter(compartment) ?? window.enterBeside();
  if (holding) return holding;
  window.overflow(compartment);
  throw new CommandError('OVERLOADED');
}
