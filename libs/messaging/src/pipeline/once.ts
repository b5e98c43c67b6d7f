import { CommandError, type Reply } from '#contracts';
import type { Window } from '#resilience';

import type { CheckedCommand } from '../command/command.ts';
import { factsOf } from '../command/facts.ts';
import { fingerprintOf } from '../envelope/fingerprint.ts';
import { REDRIVEN } from '../envelope/own-headers.ts';
import type { Claim, IdempotencyStore } from '../idempotency/idempotency-store.ts';
import type { MessagingObserver } from '../observer/messaging-observer.ts';
import { answerWith, type Settlement } from '../command/settlement.ts';
import { enterAsRepeat } from './share.ts';
import type { Next, Step } from './step.ts';

/**
 * Runs a player's command once, however often it is sent: a repeat gets the reply of the first, and a redelivered command
 * the one that was decided before, whatever it was.
 *
 * @throws CommandError `IDEMPOTENCY_CONFLICT` if another command has the same identity, `OVERLOADED` if too many repeats wait
 */
export function once(
  store: IdempotencyStore,
  window: Window,
  observer: MessagingObserver,
  nowMs: () => number,
): Step {
  const replay = (command: CheckedCommand, reply: Reply): Settlement => {
    observer.commandReplayed(factsOf(command, nowMs()));
    return answerWith(reply, { isReplay: true });
  };
  const settle = (command: CheckedCommand, claim: Claim, next: Next): Promise<Settlement> => {
    switch (claim.kind) {
      case 'conflict':
        throw new CommandError('IDEMPOTENCY_CONFLICT');
      case 'settled':
        return Promise.resolve(replay(command, claim.reply));
      case 'in flight': {
        const holding = enterAsRepeat(window, command);
        // It does not show that its compartment moves.
        const waiting = command.deadline.race(claim.outcome).finally(() => window.leave(holding, undefined));
        // If the first one ended without a reply, it may be this one's turn.
        return waiting.then((reply) => (reply ? replay(command, reply) : step(command, next)));
      }
      case 'claimed':
        return next(command).then((settlement) => {
          const kept = 'reply' in settlement ? claim.settle(settlement.reply) : claim.release();
          return kept ? kept.then(() => settlement) : settlement;
        });
    }
  };
  const step: Step = (command, next) => {
    const claim = claimOf(command, store);
    // The memory of a worker answers at once; a wait for nothing would still cost a turn of the microtasks.
    return claim instanceof Promise
      ? claim.then((found) => settle(command, found, next))
      : settle(command, claim, next);
  };
  return step;
}

function claimOf(command: CheckedCommand, store: IdempotencyStore): Claim | Promise<Claim> {
  const { caller, operator, id, type, data, own } = command.envelope;
  const identity = [caller, operator, id];
  // A person wants it to be run again: the failure that it is known for is not replayed.
  if (own[REDRIVEN] !== undefined) identity.push(`redriven ${Number(own[REDRIVEN])}`);
  return store.claim(JSON.stringify(identity), fingerprintOf(type, data), {
    caller,
    untilMs: command.deadline.atMs,
    isRedelivered: command.isRedelivered,
  });
}
