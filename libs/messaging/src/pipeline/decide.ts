import { CommandError, type Reply } from '#contracts';
import { DeadlineExceeded } from '#resilience';

import type { Claim, IdempotencyStore } from '../idempotency/idempotency-store.ts';
import { fingerprintOf } from '../idempotency/fingerprint.ts';
import type { MessagingObserver } from '../messaging-observer.ts';
import { UnconfirmedError } from '../publishing/confirmed-publisher.ts';
import type { ReplySender } from '../replies/reply-sender.ts';
import { checkCommand, type Known } from './checks.ts';
import type { CommandInHand } from './command-in-hand.ts';
import { factsOf } from './facts-of.ts';
import { finalReply, isFinalReply } from './final-reply.ts';
import { isRedelivery } from './is-redelivery.ts';
import { failureOf, type Outcome } from './outcome.ts';

/** Runs the handler of a valid command, and gives what Nest made of its result. */
export type CommandHandler = (data: object, command: CommandInHand) => Promise<unknown>;

export interface DecisionOptions extends Known {
  readonly handlers: ReadonlyMap<string, CommandHandler>;
  readonly idempotency: IdempotencyStore;
  readonly replies: ReplySender;
  readonly observer: MessagingObserver;
  readonly nowMs: () => number;
}

type HeldClaim = Extract<Claim, { kind: 'claimed' }>;

/** Finds what a command comes to: checked, not done twice, within its deadline, by its handler. */
export class Decision {
  readonly #options: DecisionOptions;

  constructor(options: DecisionOptions) {
    this.#options = options;
  }

  /** Every failure is an outcome; it rejects only where a page could not be confirmed. */
  async of(command: CommandInHand): Promise<Outcome> {
    let held: HeldClaim | undefined;
    let outcome: Outcome;
    try {
      const data = checkCommand(command, this.#options);
      if (command.lane === 'interactive') {
        const asked = this.#claim(command);
        // In memory the answer is there at once; to wait for it all the same would cost every command.
        const claim = asked instanceof Promise ? await asked : asked;
        if (claim.kind !== 'claimed') return await this.#repeated(command, claim);
        held = claim;
      }
      const produced = await command.deadline.race(this.#handle(command, data));
      outcome = { reply: isFinalReply(produced) ? produced : await this.#finalReply(command, produced) };
    } catch (thrown) {
      if (thrown instanceof UnconfirmedError) {
        // Unsettled, it would keep every repeat waiting.
        await held?.release();
        // The broker did not take a page: nothing is decided, and the command goes back.
        throw thrown;
      }
      outcome = failureOf(command, thrown, this.#options.nowMs());
    }
    const settling = held?.settle(outcome.reply);
    if (settling) await settling;
    return outcome;
  }

  #claim({ envelope, delivery }: CommandInHand): Claim | Promise<Claim> {
    const { operator, id, type, data } = envelope;
    const identity = JSON.stringify([operator, id]);
    return this.#options.idempotency.claim(identity, fingerprintOf(type, data), isRedelivery(delivery));
  }

  /** The outcome of a command that is in flight or settled. */
  async #repeated(command: CommandInHand, claim: Exclude<Claim, HeldClaim>): Promise<Outcome> {
    const { observer, nowMs } = this.#options;
    if (claim.kind === 'conflict') throw new CommandError('IDEMPOTENCY_CONFLICT');
    const reply = claim.kind === 'settled' ? claim.reply : await command.deadline.race(claim.outcome);
    // The one in flight ended without an outcome; now it may be this one's.
    if (!reply) return this.of(command);
    observer.commandReplayed(factsOf(command, nowMs()));
    return { reply };
  }

  #handle(command: CommandInHand, data: object): Promise<unknown> {
    const { deadline, envelope } = command;
    if (deadline.expired) throw new DeadlineExceeded();
    const handler = this.#options.handlers.get(envelope.type);
    if (!handler) throw new CommandError('UNKNOWN_COMMAND');
    return handler(data, command);
  }

  async #finalReply(command: CommandInHand, produced: unknown): Promise<Reply> {
    const { deadline } = command;
    let sending: Promise<void> | undefined;
    const emit = (page: Reply): Promise<void> => {
      // The final reply was sent at the deadline; nothing may follow it.
      if (deadline.expired) throw new DeadlineExceeded();
      return (sending = this.#options.replies.sendPage(command, page));
    };
    try {
      return await deadline.race(finalReply(produced, emit));
    } catch (thrown) {
      // A page that was under way at the deadline takes its number, or leaves it to the final reply.
      await sending?.catch(unlessUnconfirmed);
      throw thrown;
    }
  }
}

/** @throws UnconfirmedError where that is what it is given */
function unlessUnconfirmed(thrown: unknown): void {
  if (thrown instanceof UnconfirmedError) throw thrown;
}
