import type { BusNames, Reply } from '#contracts';

import type { CommandInHand } from '../pipeline/command-in-hand.ts';
import type { ConfirmedPublisher } from '../publishing/confirmed-publisher.ts';
import { publishPatiently } from '../publishing/publish-patiently.ts';
import { eventMessage, type EventPolicy, isAnnounced } from './event-message.ts';
import { messageIdOf } from './message-id-of.ts';
import type { Undelivered } from './undelivered.ts';

export interface EventSenderOptions {
  readonly names: BusNames;
  readonly policy: EventPolicy;
  readonly publisher: ConfirmedPublisher;
  readonly undelivered: Undelivered;
  readonly nowMs: () => number;
}

/** Announces final replies on the events exchange. */
export class EventSender {
  readonly #options: EventSenderOptions;

  constructor(options: EventSenderOptions) {
    this.#options = options;
  }

  /** Whether the policy has a final reply announced. */
  announces(reply: Reply): boolean {
    return isAnnounced(reply, this.#options.policy);
  }

  /** Announces a final reply; what a listener's full queue refuses until the deadline is kept. */
  async announce(command: CommandInHand, reply: Reply): Promise<void> {
    const { names, publisher, undelivered, nowMs } = this.#options;
    const { envelope, sequence, deadline, delivery } = command;
    const messageId = messageIdOf(envelope, reply, sequence);
    const message = eventMessage(names.events, { envelope, reply, sequence, messageId, nowMs: nowMs() });
    const outcome = await publishPatiently(
      () => publisher.publish(message, () => delivery.isAlive),
      () => deadline.remainingMs(),
    );
    if (outcome === 'refused') await undelivered.keep(command, message, reply.type, 'EVENT_REFUSED');
  }
}
