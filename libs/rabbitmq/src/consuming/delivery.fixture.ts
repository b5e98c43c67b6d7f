import type { Channel } from 'amqplib';

import { brokerReleaseOf } from '../connection/broker-release.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { Delivery } from './delivery.ts';
import { type MessageFacts, messageOf } from './message.fixture.ts';

/** What a delivery of a spec holds, and the queue that it came from: by default the lane of players' commands. */
export type DeliveryFacts = MessageFacts & {
  readonly queue?: string;
  /** Of the broker; default: 4.0. */
  readonly release?: string;
};

/** A delivery on a channel that takes nothing. */
export function deliveryOf({
  queue = 'poker.interactive',
  release = '4.0.5',
  ...facts
}: DeliveryFacts = {}): Delivery {
  const acknowledger = new Acknowledgements({} as Channel);
  return new Delivery(messageOf(facts), queue, acknowledger, brokerReleaseOf(release));
}
