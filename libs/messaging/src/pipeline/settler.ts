import type { Reply } from '#contracts';

import type { Command } from '../command/command.ts';
import { copyOf, deadLetterOf } from '../command/copy-of.ts';
import { factsOf, failureFactsOf } from '../command/facts.ts';
import type { Settlement } from '../command/settlement.ts';
import type { Bus } from '../messaging-options.ts';
import type { Outbox } from '../replies/outbox.ts';
import { isAnnounced } from '../replies/reply-message.ts';

type Published = Exclude<Settlement, { kind: 'return' }>;

/** The broker delivers it again by itself. */
const LOST: Settlement = { kind: 'return', cause: undefined };

/** Carries out what a settlement says, and acknowledges once all of it is confirmed. No other command is acknowledged. */
export class Settler {
  readonly #bus: Bus;
  readonly #outbox: Outbox;

  constructor(bus: Bus, outbox: Outbox) {
    this.#bus = bus;
    this.#outbox = outbox;
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
    const isAnswered = settlement.kind === 'answer' && settlement.isSent === true;
    if (!delivery.isAlive && !isAnswered) return LOST;
    try {
      await this.#publish(command, settlement);
    } catch (error) {
      return this.#return(command, error);
    }
    delivery.acknowledge();
    this.#observe(command, settlement);
    return settlement;
  }

  #return(command: Command, cause: unknown): Settlement {
    command.delivery.requeue();
    this.#bus.observer.commandReturned(factsOf(command), cause);
    return { kind: 'return', cause };
  }

  /** Publishes all that a settlement is made of; done when that is confirmed. */
  #publish(command: Command, settlement: Published): Promise<unknown> {
    switch (settlement.kind) {
      case 'answer':
        return this.#answer(command, settlement.reply, settlement.isSent);
      case 'dead-letter':
        return Promise.all([
          this.#answer(command, settlement.reply),
          this.#outbox.copy(command, deadLetterOf(command, settlement.reply.data, this.#bus.names)),
        ]);
      case 'postpone':
      case 'move':
        return this.#outbox.copy(command, copyOf(command, settlement.copy));
    }
  }

  #answer(command: Command, reply: Reply, isSent = false): Promise<unknown> {
    const sending = isSent ? undefined : this.#outbox.settle(command, reply);
    const isWanted = isAnnounced(reply, this.#bus.settings.EVENTS);
    const announcing = isWanted ? this.#outbox.announce(command, reply) : undefined;
    if (sending && announcing) return Promise.all([sending, announcing]);
    return sending ?? announcing ?? Promise.resolve();
  }

  #observe(command: Command, settlement: Published): void {
    const { observer, nowMs } = this.#bus;
    const facts = factsOf(command);
    switch (settlement.kind) {
      case 'answer':
      case 'dead-letter': {
        const { reply, cause } = settlement;
        if (settlement.kind === 'dead-letter') observer.deadLettered(facts, settlement.reply.data.code);
        if (reply.type !== 'command.failed') observer.commandAnswered(facts, 'success', cause);
        else observer.commandAnswered(facts, reply.data.code, cause, failureFactsOf(reply.data));
        break;
      }
      case 'postpone': {
        const { copy, failure, delayMs } = settlement;
        const until = new Date(nowMs() + delayMs).toISOString();
        const postponement = { delayMs, queue: copy.queue, until };
        observer.commandPostponed(facts, failure.code, postponement, failureFactsOf(failure));
        break;
      }
      case 'move':
        observer.commandMoved(facts, settlement.copy.queue);
    }
  }
}
