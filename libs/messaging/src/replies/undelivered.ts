import type { BusNames, ReplyType } from '#contracts';

import type { MessagingObserver, UndeliveredReason } from '../messaging-observer.ts';
import type { CommandInHand } from '../pipeline/command-in-hand.ts';
import { factsOf } from '../pipeline/facts-of.ts';
import type { OutgoingMessage } from '../publishing/outgoing-message.ts';
import type { CopyPublisher } from '../publishing/copy-publisher.ts';

/** Keeps the replies and announcements that nobody took. */
export class Undelivered {
  readonly #names: BusNames;
  readonly #copies: CopyPublisher;
  readonly #observer: MessagingObserver;
  readonly #nowMs: () => number;

  constructor(names: BusNames, copies: CopyPublisher, observer: MessagingObserver, nowMs: () => number) {
    this.#names = names;
    this.#copies = copies;
    this.#observer = observer;
    this.#nowMs = nowMs;
  }

  /** Puts a message where a person finds it, with the reason and the queue that it was meant for. */
  async keep(
    command: CommandInHand,
    message: OutgoingMessage,
    type: ReplyType,
    reason: UndeliveredReason,
  ): Promise<void> {
    const nowMs = this.#nowMs();
    const headers = {
      ...message.properties.headers,
      'x-reason': reason,
      'x-failed-at': new Date(nowMs).toISOString(),
      'x-origin-queue': message.exchange === '' ? message.routingKey : message.exchange,
    };
    const copy: OutgoingMessage = {
      ...message,
      exchange: '',
      routingKey: this.#names.undelivered,
      mandatory: true,
      properties: { ...message.properties, headers },
    };
    await this.#copies.publish(copy, () => command.delivery.isAlive);
    this.#observer.replyUndelivered(factsOf(command, nowMs), type, reason);
  }
}
