import { CommandError } from '#contracts';
import { type Holding, Window } from '#resilience';

import type { CheckedCommand } from '../command/command.ts';
import type { IdempotencyStore } from '../idempotency/idempotency-store.ts';
import { identityOf } from './once.ts';
import { failureOf, type Settlement } from '../command/settlement.ts';
import type { Next, Step } from './step.ts';

/** Of what a player waits for: by default 5 s. */
const STUCK_SHARE = 1 / 3;

/**
 * The window of the players' lane of one worker.
 *
 * @param prefetch commands in flight at most
 * @param budgetMs of a command without a deadline
 */
export function laneWindow(prefetch: number, budgetMs: number, nowMs: () => number): Window {
  return new Window(prefetch, budgetMs * STUCK_SHARE, nowMs);
}

/** What a compartment is of, by its name in the window. */
export function compartmentOf(name: string): { readonly operator: string; readonly operation: string } {
  const [operation = ''] = name.split(' ', 1);
  return { operation, operator: name.slice(operation.length + 1) };
}

/**
 * Keeps what waits for one operation of one operator from filling the players' lane, until the command is settled.
 *
 * A repeat of a command that was answered, or is in flight, gets the answer of the first one instead. It is looked up only
 * when the compartment holds its share. This step stands before `once` nevertheless: repeats wait, too.
 *
 * @throws CommandError `OVERLOADED`
 */
export function share(window: Window, idempotency: IdempotencyStore): Step {
  const hold = (command: CheckedCommand, holding: Holding, next: Next): Promise<Settlement> => {
    command.atEnd((end) => window.leave(holding, isRepeat(end) ? undefined : command.receivedAtMs));
    return next(command);
  };
  const beyondShare = async (
    command: CheckedCommand,
    next: Next,
    compartment: string,
  ): Promise<Settlement> => {
    const { identity, fingerprint, origin } = identityOf(command);
    const known = await idempotency.look(identity, fingerprint, origin);
    // These two wait for nobody.
    if (known === 'settled' || known === 'conflict') return next(command);
    const beside = known === 'in flight' ? window.enterBeside() : undefined;
    if (beside) return hold(command, beside, next);
    window.overflow(compartment);
    throw new CommandError('OVERLOADED');
  };
  return (command, next) => {
    const compartment = `${command.envelope.type} ${command.envelope.operator}`;
    const holding = window.enter(compartment);
    return holding ? hold(command, holding, next) : beyondShare(command, next, compartment);
  };
}

/** Whether a command was settled by what an earlier one came to, and so does not show that its compartment moves. */
function isRepeat(end: Settlement): boolean {
  return ('isReplay' in end && end.isReplay) || failureOf(end)?.code === 'IDEMPOTENCY_CONFLICT';
}
