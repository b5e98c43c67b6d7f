import { CommandError } from '#contracts';
import type { Window } from '#resilience';

import type { Command } from '../../command/command.ts';
import type { IdempotencyStore } from '../../idempotency/idempotency-store.ts';
import { compartmentName } from '../lane-window.ts';
import type { Next, Step } from '../step.ts';
import { identityOf } from './identity-of.ts';

/**
 * Keeps what waits for one operation of one operator from filling the lane. A report waits in its own lane.
 *
 * A repeat of a command that was answered, or is in flight, gets the answer of the first one instead. It is looked up only
 * when the compartment holds its share. This step stands before deduplication nevertheless: repeats wait, too.
 *
 * @throws CommandError `OVERLOADED`
 */
export function withinShare(window: Window, idempotency: IdempotencyStore): Step {
  const beyondShare = async (command: Command, next: Next, compartment: string) => {
    const { identity, fingerprint, origin } = identityOf(command);
    const known = await idempotency.look(identity, fingerprint, origin);
    // These two wait for nobody.
    if (known === 'settled' || known === 'conflict') return next(command);
    if (known === 'in flight') {
      command.run.holding = window.enterBeside();
      if (command.run.holding) return next(command);
    }
    window.overflow(compartment);
    throw new CommandError('OVERLOADED');
  };
  return (command, next) => {
    const { envelope, lane, run } = command;
    if (lane !== 'interactive') return next(command);
    const compartment = compartmentName(envelope.type, envelope.operator);
    run.holding = window.enter(compartment);
    return run.holding ? next(command) : beyondShare(command, next, compartment);
  };
}
