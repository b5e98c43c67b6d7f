import type { BusNames, Lane, Reply } from '#contracts';

import type { Command } from '../command/command.ts';
import { copyOf } from '../command/copy-of.ts';
import { failureFactsOf } from '../command/failure-facts.ts';
import { factsOf } from '../command/facts-of.ts';
import { publishFor } from '../command/publish-for.ts';
import type { HeaderSeal } from '../envelope/own-headers.ts';
import type { MessagingObserver } from '../observer/messaging-observer.ts';
import type { CopyPublisher } from '../rabbitmq/publishing/copy-publisher.ts';
import type { OutgoingMessage } from '../rabbitmq/publishing/outgoing-message.ts';
import type { EventSender } from '../replies/event-sender.ts';
import type { ReplySender } from '../replies/reply-sender.ts';
import { deadLetterOf } from './dead-letter-of.ts';
import type { Copy, FailedReply, Settlement } from './settlement.ts';

export interface SettlerOptions {
  readonly names: BusNames;
  readonly replies: ReplySender;
  readonly events: EventSender;
  readonly copies: CopyPublisher;
  readonly seal: HeaderSeal;
  /** Called after a command went to a retry queue: perhaps its lane had better wait. */
  readonly onPostponed: (lane: Lane) => void;
  readonly observer: MessagingObserver;
  readonly nowMs: () => number;
}

/** The broker delivers it again by itself. */
const LOST: Settlement = { kind: 'return', cause: undefined };

/** Carries out what a settlement says, and acknowledges once all of it is confirmed. Nothing else acknowledges. */
export class Settler {
  readonly #options: SettlerOptions;

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  /**
   * Never rejects: what the broker does not confirm goes back to its queue.
   *
   * @returns what became of the command
   */
  async settle(command: Command, settlement: Settlement): Promise<Settlement> {
    const { isAlive } = command.delivery;
    try {
      await this.#carryOut(command, settlement);
      return isAlive ? settlement : LOST;
    } catch (cause) {
      this.#return(command, cause);
      return { kind: 'return', cause };
    }
  }

  #carryOut(command: Command, settlement: Settlement): Promise<void> | void {
    if (settlement.kind === 'return') return this.#return(command, settlement.cause);
    // Delivered again elsewhere, where the reply is replayed: to answer here, too, would only repeat it.
    if (!command.delivery.isAlive) return undefined;
    switch (settlement.kind) {
      case 'answer':
        return this.#answer(command, settlement.reply, settlement.cause);
      case 'dead-letter':
        return this.#answer(
          command,
          settlement.reply,
          settlement.cause,
          this.#deadLetter(command, settlement.reply),
        );
      case 'postpone':
        return this.#postpone(command, settlement);
      case 'move':
        return this.#move(command, settlement.copy);
    }
  }

  async #answer(command: Command, reply: Reply, cause: unknown, kept?: Promise<void>): Promise<void> {
    const { replies, events, observer, nowMs } = this.#options;
    const sent = replies.sendFinal(command, reply);
    const announced = events.announces(reply) ? events.announce(command, reply) : undefined;
    await (announced || kept ? Promise.all([sent, announced, kept]) : sent);
    command.delivery.acknowledge();
    const facts = factsOf(command, nowMs());
    if (reply.type !== 'command.failed') observer.commandAnswered(facts, 'success', cause);
    else observer.commandAnswered(facts, reply.data.code, cause, failureFactsOf(reply.data));
  }

  async #deadLetter(command: Command, { data: { code } }: FailedReply): Promise<void> {
    const { names, observer, nowMs } = this.#options;
    await this.#publish(deadLetterOf(command, code, names, nowMs()), command);
    observer.deadLettered(factsOf(command, nowMs()), code);
  }

  async #postpone(
    command: Command,
    { copy, failure, delayMs }: Extract<Settlement, { kind: 'postpone' }>,
  ): Promise<void> {
    const { onPostponed, observer, nowMs } = this.#options;
    await this.#replaceBy(copy, command);
    onPostponed(command.lane);
    const postponement = { delayMs, queue: copy.queue, until: new Date(nowMs() + delayMs).toISOString() };
    observer.commandPostponed(factsOf(command, nowMs()), failure.code, postponement, failureFactsOf(failure));
  }

  async #move(command: Command, copy: Copy): Promise<void> {
    await this.#replaceBy(copy, command);
    this.#options.observer.commandMoved(factsOf(command, this.#options.nowMs()), copy.queue);
  }

  async #replaceBy(copy: Copy, command: Command): Promise<void> {
    await this.#publish(copyOf(command, copy), command);
    command.delivery.acknowledge();
  }

  #publish(copy: OutgoingMessage, command: Command): Promise<void> {
    const { copies, seal } = this.#options;
    return publishFor(command, 'copy', seal.seal(copy), copies);
  }

  #return(command: Command, cause: unknown): void {
    const { observer, nowMs } = this.#options;
    command.delivery.requeue();
    observer.commandReturned(factsOf(command, nowMs()), cause);
  }
}
