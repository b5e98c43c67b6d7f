import { pause } from '#rabbitmq';

import type { Command, Step } from '../command/command.ts';
import { failureOf, type Settlement, settlementOf } from '../command/settlement.ts';
import type { ReplyQueues } from '../replies/reply-queues.ts';

/** Interval between checks of the reply queue of a running report. */
const CHECK_MS = 500;
/** A node of a cluster may learn of a new queue slightly later than its caller. */
const CONFIRM_MS = 100;
const CANCELED: Settlement = { kind: 'cancel' };

/**
 * Ends a report without a reply once its caller has deleted the reply queue, if the command says that this
 * cancels the report. The queue is checked before the report runs, while it runs, and before it fails or
 * waits.
 */
export function cancel(replyQueues: ReplyQueues): Step {
  return (next) => async (command) => {
    if (!command.envelope.cancelsWithQueue) return next(command);
    if ((await check(command, replyQueues)) === 'gone') return CANCELED;
    const ended = new AbortController();
    try {
      const running = next(command).catch((thrown: unknown) => settlementOf(command, thrown));
      const canceled = watch(command, replyQueues, ended.signal);
      const settlement = await Promise.race([running, canceled.then((is) => (is ? CANCELED : running))]);
      return failureOf(settlement) && (await check(command, replyQueues)) === 'gone' ? CANCELED : settlement;
    } finally {
      ended.abort();
    }
  };
}

/**
 * Resolves true once the reply queue is deleted; false if the report ends first, or if the broker does not
 * answer.
 */
async function watch(command: Command, replyQueues: ReplyQueues, ended: AbortSignal): Promise<boolean> {
  const { replies } = command;
  for (;;) {
    await pause(CHECK_MS, ended);
    if (ended.aborted) return false;
    const found = await check(command, replyQueues);
    if (found === 'locked') return false;
    if (found !== 'gone') continue;
    await replies.underWay?.catch(() => undefined);
    // A caller that has received the final reply deletes its queue as well.
    return replies.final === undefined;
  }
}

/** Checks the reply queue, and checks again if it does not seem to exist. */
async function check(command: Command, replyQueues: ReplyQueues): ReturnType<ReplyQueues['standingOf']> {
  const found = await replyQueues.standingOf(command);
  if (found !== 'gone') return found;
  await pause(CONFIRM_MS);
  return replyQueues.standingOf(command);
}
