import { CommandError, type Reply } from '#contracts';
import { DeadlineExceeded } from '#resilience';

import type { IdempotencyStore } from '../idempotency/idempotency-store.ts';
import { dataDigest } from '../idempotency/fingerprint.ts';
import type { MessagingObserver } from '../messaging-observer.ts';
import { UnconfirmedError } from '../publishing/confirmed-publisher.ts';
import type { ReplySender } from '../replies/reply-sender.ts';
import { checkCommand, type Known } from './checks.ts';
import type { CommandInHand } from './command-in-hand.ts';
import { factsOf } from './facts-of.ts';
import { isRedelivery } from './is-redelivery.ts';
import { failureOf, type Outcome } from './outcome.ts';
import { runHandler } from './run-handler.ts';

/** Runs the handler of a valid command, and gives what Nest made of its result. */
export type CommandHandler = (data: object, command: CommandInHand) => Promise<unknown>;

export interface DecisionOptions extends Known {
  readonly handlers: ReadonlyMap<string, CommandHandler>;
  readonly idempotency: IdempotencyStore;
  readonly replies: ReplySender;
  readonly observer: MessagingObserver;
  readonly nowMs: () => number;
}

/** Finds what a command comes to: checked, not done twice, within its deadline, by its handler. */
export class Decision {
  readonly #options: DecisionOptions;

  constructor(options: DecisionOptions) {
    this.#options = options;
  }

  /** Every failure is an outcome; it rejects only where a page could not be confirmed. */
  async of(command: CommandInHand): Promise<Outcome> {
    try {
      const data = checkCommand(command, this.#options);
      return command.lane === 'interactive'
        ? await this.#once(command, data)
        : await this.#run(command, data);
    } catch (thrown) {
      return this.#failure(command, thrown);
    }
  }

  /** Runs a command that changes something, unless the same one is under way or decided. */
  async #once(command: CommandInHand, data: object): Promise<Outcome> {
    const { idempotency, observer, nowMs } = this.#options;
    const { operator, id, type, data: sent } = command.envelope;
    const identity = JSON.stringify([operator, id]);
    const fingerprint = `${type} ${dataDigest(sent)}`;
    const claim = await idempotency.claim(identity, fingerprint, isRedelivery(command.delivery));
    if (claim.kind === 'conflict') throw new CommandError('IDEMPOTENCY_CONFLICT');
    if (claim.kind === 'mine') {
      const outcome = await this.#run(command, data).catch(async (error: unknown) => {
        // Unsettled, it would keep every repeat waiting.
        await claim.release();
        throw error;
      });
      await claim.settle(outcome.reply);
      return outcome;
    }
    const reply = claim.kind === 'decided' ? claim.reply : await command.deadline.race(claim.reply);
    if (!reply) return this.#once(command, data);
    observer.commandReplayed(factsOf(command, nowMs()));
    return { reply };
  }

  async #run(command: CommandInHand, data: object): Promise<Outcome> {
    const { handlers, replies } = this.#options;
    const { deadline, envelope } = command;
    let sending: Promise<void> | undefined;
    const emit = (page: Reply): Promise<void> => {
      // The final reply was sent at the deadline; nothing may follow it.
      if (deadline.expired) throw new DeadlineExceeded();
      return (sending = replies.sendPage(command, page));
    };
    try {
      if (deadline.expired) throw new DeadlineExceeded();
      const handler = handlers.get(envelope.type);
      if (!handler) throw new CommandError('UNKNOWN_COMMAND');
      return { reply: await deadline.race(runHandler(() => handler(data, command), emit)) };
    } catch (thrown) {
      // A page that was under way at the deadline takes its number, or leaves it to the final reply.
      await sending?.catch(unlessUnconfirmed);
      return this.#failure(command, thrown);
    }
  }

  #failure(command: CommandInHand, thrown: unknown): Outcome {
    // The broker did not take a page: nothing is decided, and the command goes back.
    unlessUnconfirmed(thrown);
    return failureOf(command, thrown, this.#options.nowMs());
  }
}

/** @throws UnconfirmedError where that is what it is given */
function unlessUnconfirmed(thrown: unknown): void {
  if (thrown instanceof UnconfirmedError) throw thrown;
}
