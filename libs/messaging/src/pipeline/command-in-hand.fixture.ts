import type { Channel } from 'amqplib';

import { Deadline } from '#resilience';

import { Acknowledgements } from '../consuming/acknowledgements.ts';
import { Delivery } from '../consuming/delivery.ts';
import { type MessageFacts, messageOf } from '../consuming/message.fixture.ts';
import { openEnvelope } from '../envelope/open-envelope.ts';
import { CommandInHand } from './command-in-hand.ts';

/** 12:00 UTC of the last day of January 2026, when every command of a spec is received. */
export const RECEIVED_AT_MS = Date.UTC(2026, 0, 31, 12);

/** A command as the pipeline has it in hand; by default a valid `session.create` from its lane, with an answerer. */
export function commandOf({
  queue = 'poker.interactive',
  properties,
  ...facts
}: MessageFacts & { readonly queue?: string } = {}): CommandInHand {
  const message = messageOf({ ...facts, properties: { messageId: 'm-1', replyTo: 'lobby', ...properties } });
  const nowMs = () => RECEIVED_AT_MS;
  const budgetMs = { interactive: 15_000, reports: 600_000 };
  const rules = { maxBytes: 65_536, reserved: 'poker.', budgetMs, nowMs, newId: () => 'made-up' };
  const envelope = openEnvelope(message, rules);
  const delivery = new Delivery(message, queue, new Acknowledgements({} as Channel));
  return new CommandInHand(delivery, envelope, new Deadline(envelope.deadlineAtMs, nowMs), RECEIVED_AT_MS);
}
