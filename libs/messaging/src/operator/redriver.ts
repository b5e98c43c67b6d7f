import { randomUUID } from 'node:crypto';

import type { ConsumeMessage } from 'amqplib';

import { busNames } from '#contracts';
import type { OutgoingMessage } from '#rabbitmq';

import { copyOf } from '../command/copy-of.ts';
import { ALL_CALLERS } from '../envelope/reply-address.ts';
import { InternalKeys, isCopy, sealed } from '../envelope/seal.ts';
import { type EnvelopeRules, openEnvelope } from '../envelope/open-envelope.ts';
import { forwardedReply } from './forwarded-reply.ts';
import { keptMessageOf } from './kept-message.ts';

type Redriving = ReturnType<Redriver['read']>;

/** Turns dead letters back into commands, and parked replies into replies. */
export class Redriver {
  readonly #rules: EnvelopeRules;

  constructor(prefix: string, internalKey: Buffer) {
    this.#rules = {
      names: busNames(prefix),
      internalKeys: new InternalKeys(internalKey),
      // The worker decides who may send what.
      callers: ALL_CALLERS,
      settings: { MAX_COMMAND_BYTES: Infinity, INTERACTIVE_DEADLINE_MS: 0, REPORTS_DEADLINE_MS: 0 },
      nowMs: Date.now,
      newId: randomUUID,
    };
  }

  /**
   * Reads a dead letter as the command that it was. `isProved` is true if a worker with this key, or the
   * broker, verified its caller.
   */
  read(letter: ConsumeMessage) {
    // The routing key of a dead letter is its queue.
    const fields = { ...letter.fields, routingKey: keptMessageOf(letter).type };
    const envelope = openEnvelope({ ...letter, fields }, this.#rules);
    const headers: Record<string, unknown> = letter.properties.headers ?? {};
    const claimsToBeCopy = headers['x-seal'] !== undefined || headers['x-origin-user-id'] !== undefined;
    return { delivery: { message: letter }, envelope, isProved: !claimsToBeCopy || isCopy(envelope.own) };
  }

  /**
   * Returns the command for the lane of its type, as a worker would copy it, with `x-redriven` increased and
   * without its deadline and timestamp, so that it gets a new budget. The numbers of its replies continue.
   * Otherwise, a caller that drops repeats by `message_id` would take them for the failure that it has.
   * Source: bus contract, sections 3 and 5.
   */
  commandOf(letter: Redriving, content = letter.delivery.message.content): OutgoingMessage {
    const { lane, own } = letter.envelope;
    const { 'x-redriven': redriven = 0, 'x-sequence': sequence } = own;
    // A worker moves a type that only another version knows.
    const copy = copyOf(letter, { queue: this.#rules.names.lanes[lane] });
    const { timestamp: _timestamp, ...properties } = copy.properties;
    const { 'x-deadline': _deadline, ...carried } = properties.headers;
    const numbered = sequence !== undefined && { 'x-sequence': sequence };
    const headers = { ...carried, 'x-redriven': redriven + 1, ...numbered };
    return sealed({ ...copy, content, properties: { ...properties, headers } }, this.#rules.internalKeys);
  }

  /**
   * Returns a parked reply as a worker would forward it; undefined if no worker parked it, or if it is not
   * forwarded.
   */
  replyOf(parked: ConsumeMessage): OutgoingMessage | undefined {
    return forwardedReply(parked, this.#rules.names.reserved, this.#rules.internalKeys);
  }
}
