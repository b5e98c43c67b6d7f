import type { BusNames, ErrorBody, Lane } from '#contracts';

import type { MessagingObserver } from '../messaging-observer.ts';
import type { CopyPublisher } from '../publishing/copy-publisher.ts';
import type { EventSender } from '../replies/event-sender.ts';
import type { ReplySender } from '../replies/reply-sender.ts';
import type { CommandInHand } from './command-in-hand.ts';
import { deadLetterOf } from './dead-letter-of.ts';
import { factsOf } from './facts-of.ts';
import type { Outcome } from './outcome.ts';
import type { DelayedRetry } from './delayed-retry.ts';

export interface ConclusionOptions {
  readonly names: BusNames;
  readonly replies: ReplySender;
  readonly events: EventSender;
  readonly copies: CopyPublisher;
  readonly delayedRetry: DelayedRetry;
  /** Called after a command went to a retry queue: perhaps its lane had better wait. */
  readonly onPostponed: (lane: Lane) => void;
  readonly observer: MessagingObserver;
  readonly nowMs: () => number;
}

/** Does what an outcome asks for, and acknowledges once all of it is confirmed. Source: bus contract, section 5. */
export class Conclusion {
  readonly #options: ConclusionOptions;

  constructor(options: ConclusionOptions) {
    this.#options = options;
  }

  /** @throws UnconfirmedError where the broker did not take something; the command then stays unacknowledged */
  async of(command: CommandInHand, { reply, cause }: Outcome): Promise<void> {
    const { delivery } = command;
    const failure = reply.type === 'command.failed' ? reply.data : undefined;
    // Delivered again elsewhere, where the decision is replayed: answering here too would only repeat it.
    if (!delivery.isAlive) return;
    if (failure && isPostponed(failure, command.lane) && (await this.#postpone(command, failure))) return;

    const { replies, events, observer, nowMs } = this.#options;
    const sent = replies.sendFinal(command, reply);
    const announced = events.announces(reply) ? events.announce(command, reply) : undefined;
    const kept =
      failure && isDeadLettered(failure, command.lane) ? this.#deadLetter(command, failure) : undefined;
    await (announced || kept ? Promise.all([sent, announced, kept]) : sent);
    delivery.acknowledge();
    observer.commandAnswered(factsOf(command, nowMs()), failure?.code ?? 'success', cause);
  }

  async #postpone(command: CommandInHand, failure: ErrorBody): Promise<boolean> {
    const { delayedRetry, onPostponed, observer, nowMs } = this.#options;
    const delayMs = await delayedRetry.postpone(command, failure.retryAfterMs);
    if (delayMs === undefined) return false;
    command.delivery.acknowledge();
    onPostponed(command.lane);
    observer.commandPostponed(factsOf(command, nowMs()), failure.code, delayMs);
    return true;
  }

  async #deadLetter(command: CommandInHand, { code }: ErrorBody): Promise<void> {
    const { names, copies, observer, nowMs } = this.#options;
    await copies.publish(deadLetterOf(command, code, names, nowMs()), () => command.delivery.isAlive);
    observer.deadLettered(factsOf(command, nowMs()), code);
  }
}

/** A report waits for the platform to come back; a player does not. */
function isPostponed({ category }: ErrorBody, lane: Lane): boolean {
  return category === 'unavailable' && lane === 'reports';
}

function isDeadLettered({ category }: ErrorBody, lane: Lane): boolean {
  return (
    category === 'invalid' || category === 'internal' || (category === 'unavailable' && lane === 'reports')
  );
}
