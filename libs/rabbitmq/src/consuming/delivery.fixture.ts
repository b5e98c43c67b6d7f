import { brokerReleaseOf } from '../connection/broker-release.ts';
import { type DeliveringChannel, Delivery } from './delivery.ts';
import { type MessageFacts, messageOf } from '../message.fixture.ts';

/**
 * A delivery in a spec, and its queue. Default queue: the lane of players' commands.
 */
export type DeliveryFacts = MessageFacts & {
  readonly queue?: string;
  /** The release of the broker; default: 4.0. */
  readonly release?: string;
};

const NOBODY: DeliveringChannel['acknowledgements'] = {
  acknowledge: () => undefined,
  requeue: () => undefined,
};

/** Returns a delivery on a channel whose acknowledgements are ignored by default. */
export function deliveryOf(
  { queue = 'poker.interactive', release = '4.0.5', ...facts }: DeliveryFacts = {},
  acknowledgements = NOBODY,
): Delivery & { lose(): void } {
  const message = messageOf(facts);
  const channel = { queue, release: brokerReleaseOf(release), acknowledgements, isOpen: true };
  const delivery = new Delivery(message, message.content.length, channel);
  return Object.assign(delivery, { lose: () => void (channel.isOpen = false) });
}
