import type { BusNames, Reply } from '#contracts';

import type { Command } from '../command/command.ts';
import { publishFor } from '../command/publish-for.ts';
import type { ConfirmedPublisher } from '../rabbitmq/publishing/confirmed-publisher.ts';
import { isRefusal } from '../rabbitmq/publishing/publish-with-retry.ts';
import { eventMessage, type EventPolicy, isAnnounced } from './event-message.ts';
import { messageIdOf } from './message-id-of.ts';
import type { Parking } from './parking.ts';

export interface EventSenderOptions {
  readonly names: BusNames;
  readonly policy: EventPolicy;
  readonly publisher: ConfirmedPublisher;
  readonly parking: Parking;
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

  /** Announces a final reply, once: what the full queue of a listener refuses is parked, and nobody waits for it. */
  async announce(command: Command, reply: Reply): Promise<void> {
    const { names, publisher, parking, nowMs } = this.#options;
    const { envelope, run } = command;
    const { sequence } = run;
    const messageId = messageIdOf(envelope, reply, sequence);
    const message = eventMessage(names.events, { envelope, reply, sequence, messageId, nowMs: nowMs() });
    const outcome = await publishFor(command, 'event', message, publisher);
    if (isRefusal(outcome)) await parking.park(command, message, reply.type, 'EVENT_REFUSED');
  }
}
