import { CommandError, type Reply } from '#contracts';
import type { Window } from '#resilience';

import type { CheckedCommand, Step } from '../command/command.ts';
import { factsOf } from '../command/facts.ts';
import { answerWith, type Settlement } from '../command/settlement.ts';
import { fingerprintOf } from '../envelope/fingerprint.ts';
import type { Claim } from '../idempotency/idempotency-store.ts';
import type { Bus } from '../messaging-options.ts';
import { enter } from './share.ts';

/**
 * Runs a player's command once, however often it is sent: a repeat gets the reply of the first, and a redelivered command
 * the one that was decided before, whatever it was.
 *
 * @throws CommandError `IDEMPOTENCY_CONFLICT` if another command has the same identity, `OVERLOADED` if too many repeats wait
 */
export function once(bus: Bus, window: Window): Step {
  const replay = (command: CheckedCommand, reply: Reply): Settlement => {
    bus.observer.commandReplayed(factsOf(command));
    return answerWith(reply);
  };
  const step: Step = async (command, next) => {
    const claimed = claimOf(command, bus);
    const claim = claimed instanceof Promise ? await claimed : claimed;
    switch (claim.kind) {
      case 'conflict':
        throw new CommandError('IDEMPOTENCY_CONFLICT');
      case 'settled':
        return replay(command, claim.reply);
      case 'in flight': {
        const leave = enter(window, command, true);
        const reply = await command.deadline.race(claim.outcome).finally(leave);
        // If the first one ended without a reply, it may be this one's turn.
        return reply ? replay(command, reply) : step(command, next);
      }
      case 'claimed': {
        const settlement = await next(command);
        const kept = 'reply' in settlement ? claim.settle(settlement.reply) : claim.release();
        if (kept) await kept;
        return settlement;
      }
    }
  };
  return step;
}

function claimOf(command: CheckedCommand, { idempotency }: Bus): Claim | Promise<Claim> {
  const { caller, operator, id, type, data, own } = command.envelope;
  const identity = [caller, operator, id];
  // A person wants it to be run again: the failure that it is known for is not replayed.
  if (own['x-redriven'] !== undefined) identity.push(`redriven ${own['x-redriven']}`);
  return idempotency.claim(JSON.stringify(identity), fingerprintOf(type, data), {
    caller,
    untilMs: command.deadline.atMs,
    isRedelivered: command.isRedelivered,
  });
}
