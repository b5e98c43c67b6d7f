import { CommandError, type Reply } from '#contracts';

import type { Command } from '../../command/command.ts';
import { factsOf } from '../../command/facts-of.ts';
import type { Claim, IdempotencyStore } from '../../idempotency/idempotency-store.ts';
import type { MessagingObserver } from '../../observer/messaging-observer.ts';
import type { Settlement } from '../settlement.ts';
import type { Step } from '../step.ts';
import { identityOf } from './identity-of.ts';

export interface DeduplicateOptions {
  readonly idempotency: IdempotencyStore;
  readonly observer: MessagingObserver;
  readonly nowMs: () => number;
}

/**
 * Runs a player's command once, however often it is sent: a repeat gets the reply of the first. A report only reads, and
 * is run again.
 *
 * @throws CommandError `IDEMPOTENCY_CONFLICT` if another command has the same identity
 */
export function deduplicate({ idempotency, observer, nowMs }: DeduplicateOptions): Step {
  const replay = (command: Command, reply: Reply): Settlement => {
    command.run.isRepeat = true;
    observer.commandReplayed(factsOf(command, nowMs()));
    return { kind: 'answer', reply };
  };
  const step: Step = async (command, next) => {
    if (command.lane !== 'interactive') return next(command);
    const claiming = claimOf(command, idempotency);
    // The memory of a worker answers at once; a wait for nothing would still cost a turn of the microtasks.
    const claim = claiming instanceof Promise ? await claiming : claiming;
    switch (claim.kind) {
      case 'conflict':
        command.run.isRepeat = true;
        throw new CommandError('IDEMPOTENCY_CONFLICT');
      case 'settled':
        return replay(command, claim.reply);
      case 'in flight': {
        const reply = await command.deadline.race(claim.outcome);
        // The one in flight ended without a reply; now it may be this one's.
        return reply ? replay(command, reply) : step(command, next);
      }
      case 'claimed': {
        const settlement = await next(command);
        const kept = settlement.kind === 'answer' ? claim.settle(settlement.reply) : claim.release();
        if (kept) await kept;
        return settlement;
      }
    }
  };
  return step;
}

function claimOf(command: Command, store: IdempotencyStore): Claim | Promise<Claim> {
  const { identity, fingerprint, origin } = identityOf(command);
  return store.claim(identity, fingerprint, origin);
}
