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

/** Makes commands of dead letters, and replies of parked replies, again. */
export class Redriver {
  readonly #rules: EnvelopeRules;

  constructor(prefix: string, internalKey: Buffer) {
    this.#rules = {
      names: busNames(prefix),
      internalKeys: new InternalKeys(internalKey),
      // Who may send what is for the worker to say.
      callers: ALL_CALLERS,
      settings: { MAX_COMMAND_BYTES: Infinity, INTERACTIVE_DEADLINE_MS: 0, REPORTS_DEADLINE_MS: 0 },
      nowMs: Date.now,
      newId: randomUUID,
    };
  }

  /** A dead letter as the command that it was; `isProved` if a worker with this key, or the broker, vouches for its caller. */
  read(letter: ConsumeMessage) {
    // The routing key of a dead letter is the name of its queue.
    const fields = { ...letter.fields, routingKey: keptMessageOf(letter).type };
    const envelope = openEnvelope({ ...letter, fields }, this.#rules);
    const headers: Record<string, unknown> = letter.properties.headers ?? {};
    const claimsToBeCopy = headers['x-seal'] !== undefined || headers['x-origin-user-id'] !== undefined;
    return { delivery: { message: letter }, envelope, isProved: !claimsToBeCopy || isCopy(envelope.own) };
  }

  /**
   * The command for the lane of its type: as a worker would copy it, without the deadline and the time that it had, so that
   * it gets a new budget, and with one more in `x-redriven`. The numbers of its replies continue: a caller that drops repeats
   * by `message_id` would otherwise take them for the failure that it has. Source: bus contract, sections 3 and 5.
   */
  commandOf(letter: Redriving, content = letter.delivery.message.content): OutgoingMessage {
    const { lane, own } = letter.envelope;
    const { 'x-redriven': redriven = 0, 'x-sequence': sequence } = own;
    // A type that only another version knows is moved by the worker.
    const copy = copyOf(letter, { queue: this.#rules.names.lanes[lane] });
    const { timestamp: _timestamp, ...properties } = copy.properties;
    const { 'x-deadline': _deadline, ...carried } = properties.headers;
    const numbered = sequence !== undefined && { 'x-sequence': sequence };
    const headers = { ...carried, 'x-redriven': redriven + 1, ...numbered };
    return sealed({ ...copy, content, properties: { ...properties, headers } }, this.#rules.internalKeys);
  }

  /** A parked reply as a worker would forward it; undefined if no worker parked it, or it is not forwarded. */
  replyOf(parked: ConsumeMessage): OutgoingMessage | undefined {
    return forwardedReply(parked, this.#rules.names.reserved, this.#rules.internalKeys);
  }
}
