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
import type { FailedReply, Settlement } from './settlement.ts';

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

type Published = Exclude<Settlement, { kind: 'return' }>;

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
    const { delivery } = command;
    if (settlement.kind === 'return') return this.#return(command, settlement.cause);
    // Delivered again elsewhere, where the reply is replayed: to answer here, too, would only repeat it.
    if (!delivery.isAlive) return LOST;
    try {
      const sent = await this.#publish(command, settlement);
      delivery.acknowledge();
      const settled = asSent(settlement, sent);
      this.#observe(command, settled);
      return settled;
    } catch (cause) {
      return this.#return(command, cause);
    }
  }

  #return(command: Command, cause: unknown): Settlement {
    const { observer, nowMs } = this.#options;
    command.delivery.requeue();
    observer.commandReturned(factsOf(command, nowMs()), cause);
    return { kind: 'return', cause };
  }

  /** Publishes all that a settlement is made of; done when that is confirmed. @returns the final reply, if there is one */
  #publish(command: Command, settlement: Published): Promise<Reply | void> {
    switch (settlement.kind) {
      case 'answer':
        return this.#answer(command, settlement.reply);
      case 'dead-letter':
        return Promise.all([
          this.#answer(command, settlement.reply),
          this.#deadLetter(command, settlement.reply),
        ]).then(([sent]) => sent);
      case 'postpone':
      case 'move':
        return this.#copy(command, copyOf(command, settlement.copy));
    }
  }

  #answer(command: Command, reply: Reply): Promise<Reply> {
    const { replies, events } = this.#options;
    const sending = replies.sendFinal(command, reply);
    // Only a report can end otherwise than was decided: its announcement waits for what was sent.
    if (command.lane === 'reports') return sending.then((sent) => this.#announce(command, sent));
    if (!events.announces(reply)) return sending;
    return Promise.all([sending, events.announce(command, reply)]).then(([sent]) => sent);
  }

  async #announce(command: Command, sent: Reply): Promise<Reply> {
    const { events } = this.#options;
    if (events.announces(sent)) await events.announce(command, sent);
    return sent;
  }

  async #deadLetter(command: Command, { data: { code } }: FailedReply): Promise<void> {
    const { names, observer, nowMs } = this.#options;
    await this.#copy(command, deadLetterOf(command, code, names, nowMs()));
    observer.deadLettered(factsOf(command, nowMs()), code);
  }

  #copy(command: Command, copy: OutgoingMessage): Promise<void> {
    const { copies, seal } = this.#options;
    return publishFor(command, 'copy', seal.seal(copy), copies);
  }

  #observe(command: Command, settlement: Published): void {
    const { onPostponed, observer, nowMs } = this.#options;
    const facts = factsOf(command, nowMs());
    switch (settlement.kind) {
      case 'answer':
      case 'dead-letter': {
        const { reply, cause } = settlement;
        if (reply.type !== 'command.failed') observer.commandAnswered(facts, 'success', cause);
        else observer.commandAnswered(facts, reply.data.code, cause, failureFactsOf(reply.data));
        break;
      }
      case 'postpone': {
        const { copy, failure, delayMs } = settlement;
        onPostponed(command.lane);
        const postponement = { delayMs, queue: copy.queue, until: new Date(nowMs() + delayMs).toISOString() };
        observer.commandPostponed(facts, failure.code, postponement, failureFactsOf(failure));
        break;
      }
      case 'move':
        observer.commandMoved(facts, settlement.copy.queue);
    }
  }
}

/** What became of a command whose final reply is `sent`. */
function asSent(settlement: Published, sent: Reply | void): Published {
  const isAsDecided = !sent || !('reply' in settlement) || settlement.reply === sent;
  return isAsDecided ? settlement : { kind: 'answer', reply: sent };
}
