import { CommandError, type Reply } from '#contracts';
import type { Window } from '#resilience';

import type { CheckedCommand, Next, Step } from '../command/command.ts';
import { factsOf } from '../command/command-facts.ts';
import { answerWith, type Settlement } from '../command/settlement.ts';
import type { Claim, IdempotencyStore } from '../idempotency/idempotency-store.ts';
import type { MessagingObserver } from '../observer/messaging-observer.ts';
import { compartmentOf, overloaded } from './share.ts';

export interface DeduplicateOptions {
  readonly idempotency: IdempotencyStore;
  readonly observer: Pick<MessagingObserver, 'commandReplayed'>;
}

/**
 * Runs a player's command once, however often it is sent. A repeat gets the reply of the first one, and a
 * redelivered command gets the reply that was decided before, whatever it was.
 *
 * @throws CommandError `IDEMPOTENCY_CONFLICT` if another command has the same identity, `OVERLOADED` if too
 *   many repeats wait
 */
export function deduplicate({ idempotency, observer }: DeduplicateOptions, window: Window): Step {
  const replay = (command: CheckedCommand, reply: Reply): Settlement => {
    observer.commandReplayed(factsOf(command));
    return answerWith(reply);
  };
  return (next) => {
    const step: Next = async (command) => {
      const claim = await claimOf(command, idempotency);
      switch (claim.kind) {
        case 'conflict':
          throw new CommandError('IDEMPOTENCY_CONFLICT');
        case 'settled':
          return replay(command, claim.reply);
        case 'in flight': {
          // A repeat may exceed the share of its compartment.
          const leave = window.enter(compartmentOf(command), true) ?? overloaded();
          const reply = await command.deadline.race(claim.outcome).finally(leave);
          // If the first one ended without a reply, this one may run.
          return reply ? replay(command, reply) : step(command);
        }
        case 'claimed': {
          const settlement = await next(command);
          if (!('reply' in settlement)) {
            await claim.release();
            return settlement;
          }
          const standing = await claim.settle(settlement.reply);
          return standing === settlement.reply ? settlement : replay(command, standing);
        }
      }
    };
    return step;
  };
}

function claimOf(command: CheckedCommand, idempotency: IdempotencyStore): Claim | Promise<Claim> {
  const { envelope, deadline, isRedelivered } = command;
  const { caller, operator, id, own } = envelope;
  const identity = [caller, operator, id];
  // An operator wants the command to run again, so its known failure is not replayed.
  if (own['x-redriven'] !== undefined) identity.push(`redriven ${own['x-redriven']}`);
  return idempotency.claim(JSON.stringify(identity), envelope, {
    caller,
    untilMs: deadline.atMs,
    isRedelivered,
  });
}
