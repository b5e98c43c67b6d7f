import { setBounded } from '#rabbitmq/collections';

import type { CheckedCommand, Replies, Step } from '../command/command.ts';
import { failureOf, type Settlement } from '../command/settlement.ts';
import { dataDigest } from '../envelope/fingerprint.ts';

/**
 * The number of reports to remember: after its connection was lost, a report may be delivered to another
 * worker.
 */
const MAX_RUNS = 1000;

interface Run {
  /** The command, which contains its message; after its end, only these members. */
  command: Pick<CheckedCommand, 'progress'> & {
    readonly replies: Pick<Replies, 'sequence'>;
    readonly delivery: { readonly isAlive: boolean };
  };
  /** The failure of the run; any other end can be derived from the progress. */
  settlement: Settlement | undefined;
}

/**
 * Resumes a report after its last confirmed page. If it was postponed, its copy carries the progress. If its
 * connection was lost, this step restores progress and numbering from the run that this worker remembers. The
 * pages keep their numbers, and a change of the total since the first page is noticed.
 */
export function resume(): Step {
  const runs = new Map<string, Run>();
  return (next) => async (command) => {
    const { replies } = command;
    const key = keyOf(command);
    const before = runs.get(key);
    const run: Run = { command, settlement: undefined };
    setBounded(runs, key, run, MAX_RUNS);
    command.atEnd(({ kind }) => {
      // The broker redelivers a report that was lost with its channel.
      const isOver = kind !== 'return' && !command.delivery.isLost;
      if (isOver && runs.get(key) === run) runs.delete(key);
      run.command = { progress: command.progress, replies, delivery: { isAlive: false } };
    });
    // True for the message of the earlier run; false for another message with the same identity.
    const isInterrupted =
      before?.command.delivery.isAlive === false &&
      command.isRedelivered &&
      before.command.replies.sequence >= replies.sequence;
    const earlier = isInterrupted ? before : undefined;
    if (earlier) {
      command.progress = earlier.command.progress;
      replies.sequence = earlier.command.replies.sequence;
    }
    const settlement = earlier?.settlement ?? (await next(command));
    // It is unknown whether the reply queue accepted the final reply, so the same one is sent again.
    if (failureOf(settlement)) run.settlement = settlement;
    return settlement;
  };
}

/** Returns a key that is equal only if the replies go to the same address under the same ids. */
function keyOf({ envelope }: CheckedCommand): string {
  const { caller, operator, id, type, correlationId, replyTo, data } = envelope;
  return JSON.stringify([caller, operator, id, type, correlationId, replyTo, dataDigest(data)]);
}
