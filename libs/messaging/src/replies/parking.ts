import type { BusNames, ReplyType } from '#contracts';

import type { MessagingObserver, ParkingReason } from '../observer/messaging-observer.ts';
import type { Command } from '../command/command.ts';
import { factsOf } from '../command/facts-of.ts';
import { publishFor } from '../command/publish-for.ts';
import { type HeaderSeal, ORIGIN_QUEUE, REASON } from '../envelope/own-headers.ts';
import type { OutgoingMessage } from '../rabbitmq/publishing/outgoing-message.ts';
import type { CopyPublisher } from '../rabbitmq/publishing/copy-publisher.ts';

/** Parks the replies and announcements that nobody took; replies go on from there by `ParkedReplyForwarder`. */
export class Parking {
  readonly #names: BusNames;
  readonly #copies: CopyPublisher;
  readonly #seal: HeaderSeal;
  readonly #observer: MessagingObserver;
  readonly #nowMs: () => number;

  constructor(
    names: BusNames,
    copies: CopyPublisher,
    seal: HeaderSeal,
    observer: MessagingObserver,
    nowMs: () => number,
  ) {
    this.#names = names;
    this.#copies = copies;
    this.#seal = seal;
    this.#observer = observer;
    this.#nowMs = nowMs;
  }

  /** @throws UnconfirmedError if it could not be parked either */
  async park(
    command: Command,
    message: OutgoingMessage,
    type: ReplyType,
    reason: ParkingReason,
  ): Promise<void> {
    const nowMs = this.#nowMs();
    const headers = {
      ...message.properties.headers,
      [REASON]: reason,
      'x-failed-at': new Date(nowMs).toISOString(),
      [ORIGIN_QUEUE]: message.exchange === '' ? message.routingKey : message.exchange,
    };
    const copy: OutgoingMessage = {
      ...message,
      exchange: '',
      routingKey: this.#names.undelivered,
      mandatory: true,
      properties: { ...message.properties, headers },
    };
    await publishFor(command, 'copy', this.#seal.seal(copy), this.#copies);
    this.#observer.replyParked(factsOf(command, nowMs), type, reason);
  }
}
