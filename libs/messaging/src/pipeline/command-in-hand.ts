import { isCommandType, type Lane, LANE_OF_COMMAND } from '#contracts';
import type { Deadline } from '#resilience';

import type { Delivery } from '../consuming/delivery.ts';
import type { Envelope } from '../envelope/envelope.ts';
import { CommandContext } from './command-context.ts';
import { retryHeaders } from './retry-headers.ts';
import { readProgress } from './progress.ts';

/** One command between its delivery and its acknowledgement, with what is counted on the way. */
export class CommandInHand extends CommandContext {
  readonly delivery: Delivery;
  readonly envelope: Envelope;
  readonly deadline: Deadline;
  /** The lane whose policies apply; an unknown type is answered on the interactive one. */
  readonly lane: Lane;
  readonly receivedAtMs: number;
  /** Of the next reply. */
  sequence: number;

  constructor(delivery: Delivery, envelope: Envelope, deadline: Deadline, receivedAtMs: number) {
    super();
    this.delivery = delivery;
    this.envelope = envelope;
    this.deadline = deadline;
    this.lane = isCommandType(envelope.type) ? LANE_OF_COMMAND[envelope.type] : 'interactive';
    this.receivedAtMs = receivedAtMs;
    const { sequence, progress } = readProgress(retryHeaders(delivery));
    this.sequence = sequence;
    this.progress = progress;
  }

  get id(): string {
    return this.envelope.id;
  }

  get operator(): string {
    return this.envelope.operator;
  }
}
