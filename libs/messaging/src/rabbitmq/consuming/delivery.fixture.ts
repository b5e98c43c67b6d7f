import type { Channel } from 'amqplib';

import { Acknowledgements } from './acknowledgements.ts';
import { Delivery } from './delivery.ts';
import { type MessageFacts, messageOf } from './message.fixture.ts';

/** What a delivery of a spec holds, and the queue that it came from: by default the lane of players' commands. */
export type DeliveryFacts = MessageFacts & { readonly queue?: string };

/** A delivery on a channel that takes nothing. */
export function deliveryOf({ queue = 'poker.interactive', ...facts }: DeliveryFacts = {}): Delivery {
  return new Delivery(messageOf(facts), queue, new Acknowledgements({} as Channel));
}
