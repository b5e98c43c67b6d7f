import { setBounded } from '#rabbitmq/collections';

import type { CheckedCommand, Progress, Step } from '../command/command.ts';
import { failureOf, type Settlement } from '../command/settlement.ts';
import { dataDigest } from '../envelope/fingerprint.ts';
import { parseObject } from '../envelope/read-body.ts';

/** Reports that are remembered: after its connection was lost, one may be delivered to another worker. */
const MAX_RUNS = 1000;

interface Run {
  readonly command: CheckedCommand;
  /** Its failure; any other end is found again by the progress. */
  settlement: Settlement | undefined;
}

/**
 * Has a report continue after its last confirmed page: by what its copy carries, if it was postponed, or by what this worker
 * remembers, if its connection was lost meanwhile. The pages keep their numbers, and a change of the total since the first
 * of them is noticed.
 */
export function resume(): Step {
  const runs = new Map<string, Run>();
  return async (command, next) => {
    const { context, replies, envelope } = command;
    const key = keyOf(command);
    const before = runs.get(key);
    const run: Run = { command, settlement: undefined };
    setBounded(runs, key, run, MAX_RUNS);
    command.atEnd(({ kind }) => {
      // What was lost with its channel comes again.
      const isOver = kind !== 'return' && !command.delivery.isLost;
      if (isOver && runs.get(key) === run) runs.delete(key);
    });
    // The message of that run, and not another one of the same identity.
    const isInterrupted =
      before?.command.delivery.isAlive === false &&
      command.isRedelivered &&
      before.command.replies.sequence >= replies.sequence;
    const earlier = isInterrupted ? before : undefined;
    const { 'x-progress': carried } = envelope.own;
    if (carried !== undefined) context.progress = parseProgress(carried);
    if (earlier) {
      context.progress = earlier.command.context.progress;
      replies.sequence = earlier.command.replies.sequence;
    }
    const settlement = earlier?.settlement ?? (await next(command));
    // Nobody knows whether its final reply was taken: it is sent again, and no other one.
    if (failureOf(settlement)) run.settlement = settlement;
    return settlement;
  };
}

/** @returns undefined for anything but an object of numbers and booleans, as another version may have written it */
function parseProgress(json: string): Progress | undefined {
  const progress = parseObject(Buffer.from(json));
  const isKnown = Object.values(progress ?? {}).every((value) => /^(number|boolean)$/.test(typeof value));
  return isKnown ? (progress as Progress | undefined) : undefined;
}

/** Equal only if the replies go to the same place under the same ids. */
function keyOf({ envelope }: CheckedCommand): string {
  const { caller, operator, id, type, correlationId, replyTo, data } = envelope;
  return JSON.stringify([caller, operator, id, type, correlationId, replyTo, dataDigest(data)]);
}
