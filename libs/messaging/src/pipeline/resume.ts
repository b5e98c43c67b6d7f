import type { CheckedCommand } from '../command/command.ts';
import type { Progress } from '../command/command-context.ts';
import { dataDigest } from '../envelope/fingerprint.ts';
import { PROGRESS, QUARANTINE_STARTS } from '../envelope/own-headers.ts';
import type { Step } from './step.ts';

/** Reports whose connection went, and that were not delivered to this worker again. */
const MAX_RUNS = 1000;

/**
 * Has a report continue after its last confirmed page: by what its copy carries, if it was postponed, or by what this worker
 * remembers, if its connection was lost meanwhile. The pages keep their numbers, and a change of the total since the first
 * of them is noticed.
 */
export function resume(): Step {
  const runs = new Map<string, CheckedCommand>();
  return (command, next) => {
    const { context, replies, envelope } = command;
    const key = keyOf(command);
    const before = runs.get(key);
    runs.delete(key);
    runs.set(key, command);
    const [oldest] = runs.keys();
    if (runs.size > MAX_RUNS && oldest !== undefined) runs.delete(oldest);
    const isInterrupted =
      before !== undefined &&
      isRedelivery(command, before) &&
      before.replies.sequence >= replies.sequence &&
      before.context.progress !== undefined;
    context.progress = isInterrupted ? before.context.progress : parse(envelope.own[PROGRESS]);
    if (isInterrupted) replies.sequence = before.replies.sequence;
    command.atEnd(({ kind }) => {
      // What was lost with its channel comes again.
      const isOver = kind !== 'return' && !command.delivery.isLost;
      if (isOver && runs.get(key) === command) runs.delete(key);
    });
    return next(command);
  };
}

/** Whether a message is the one of an earlier run, and not another one of the same identity. */
function isRedelivery({ delivery, envelope }: CheckedCommand, before: CheckedCommand): boolean {
  const { redelivered } = delivery.message.fields;
  return !before.delivery.isAlive && (redelivered || envelope.own[QUARANTINE_STARTS] !== undefined);
}

/** Equal only if the replies go to the same place under the same ids. */
function keyOf({ envelope }: CheckedCommand): string {
  const { caller, operator, id, type, correlationId, replyTo, data } = envelope;
  return JSON.stringify([caller, operator, id, type, correlationId, replyTo, dataDigest(data)]);
}

function parse(text: unknown): Progress | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Progress) : undefined;
  } catch {
    return undefined;
  }
}
