import { isCommandType, type Lane, LANE_OF_COMMAND } from '#contracts';
import { Deadline } from '#resilience';

import type { Envelope } from '../envelope/envelope.ts';
import { type EnvelopeRules, openEnvelope } from '../envelope/open-envelope.ts';
import type { Delivery } from '../rabbitmq/consuming/delivery.ts';
import { CommandRun } from './command-run.ts';
import { readProgress } from './progress.ts';

/** One command between its delivery and its acknowledgement. It does not change; what does is its `run`. */
export interface Command {
  readonly delivery: Delivery;
  readonly envelope: Envelope;
  readonly deadline: Deadline;
  /** The lane whose policies apply; an unknown type is answered on the interactive one. */
  readonly lane: Lane;
  readonly receivedAtMs: number;
  /** As parsed; after validation an instance of its class. */
  readonly data: unknown;
  readonly run: CommandRun;
}

/** Decodes what was delivered. It never throws: what is wrong with a message is found by the steps of the pipeline. */
export function decodeCommand(delivery: Delivery, rules: EnvelopeRules): Command {
  const receivedAtMs = rules.nowMs();
  const envelope = openEnvelope(delivery.message, rules, delivery.bodyBytes);
  const deadline = new Deadline(envelope.deadlineAtMs, rules.nowMs);
  return {
    delivery,
    envelope,
    deadline,
    lane: isCommandType(envelope.type) ? LANE_OF_COMMAND[envelope.type] : 'interactive',
    receivedAtMs,
    data: envelope.data,
    run: new CommandRun(envelope, deadline, readProgress(envelope.own)),
  };
}
