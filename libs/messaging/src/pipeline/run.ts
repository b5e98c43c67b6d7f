import { isObservable, lastValueFrom } from 'rxjs';

import { CommandError, isFinalReplyType, type Reply } from '#contracts';
import { Abandoned, DeadlineExceeded } from '#resilience';

import type { CheckedCommand, Next, Step } from '../command/command.ts';
import { type Settlement, settlementOf } from '../command/settlement.ts';
import type { Outbox } from '../replies/outbox.ts';
import { ReplyQueueClosed } from '../replies/reply-queues.ts';

/**
 * Ends a command at its deadline, even if steps behind it are still running, and turns their errors into
 * settlements. A reply that is being sent at the deadline keeps its number; if it is the final one, the
 * command ends with it.
 *
 * @throws ReplyQueueClosed if the reply queue accepts nothing
 */
export const deadline: Step = (next) => async (command) => {
  const expired = new Promise<Settlement>((resolve) => {
    command.atEnd(command.deadline.onExpired(() => resolve(expire(command))));
  });
  try {
    return await (command.deadline.expired ? expired : Promise.race([next(command), expired]));
  } catch (thrown) {
    if (thrown instanceof ReplyQueueClosed) throw thrown;
    return settlementOf(command, thrown);
  }
};

async function expire(command: CheckedCommand): Promise<Settlement> {
  const { replies, delivery, isWaiting } = command;
  if (delivery.isLost && isWaiting) return settlementOf(command, new Abandoned());
  const refusal: unknown = await replies.underWay?.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (replies.final) return { kind: 'answer', reply: replies.final, isSent: true };
  const isUndecided = refusal !== undefined && !(refusal instanceof ReplyQueueClosed);
  return settlementOf(command, isUndecided ? refusal : new DeadlineExceeded());
}

/**
 * Runs the handler and answers with its final reply. If there are several replies, each is sent as soon as it
 * is available, including the final one.
 *
 * @param onSent called after each reply that was sent while the handler ran
 * @throws the handler's error, which is the command's failure; `ReplyQueueClosed` if the reply queue accepts
 *   nothing
 */
export function run(outbox: Outbox, onSent?: (command: CheckedCommand) => void): Next {
  return async (command) => {
    command.isWaiting = false;
    const produced = await command.handler(command.data, command);
    // Nest wraps some results.
    const replies: unknown = isObservable(produced) ? await lastValueFrom(produced) : produced;
    if (isFinalReply(replies)) return { kind: 'answer', reply: replies };
    if (isReplies(replies)) {
      for await (const reply of replies) {
        // The final reply was sent at the deadline, and no further reply may follow it.
        if (command.deadline.expired) throw new DeadlineExceeded();
        if (!command.delivery.isAlive) throw new Abandoned();
        await outbox.send(command, reply);
        onSent?.(command);
        if (command.replies.final) return { kind: 'answer', reply, isSent: true };
      }
    }
    const cause = new Error('a handler ended without a final reply');
    throw new CommandError('INTERNAL_ERROR', { cause });
  };
}

function isFinalReply(produced: unknown): produced is Reply {
  return isFinalReplyType((produced as Reply | null | undefined)?.type);
}

function isReplies(produced: unknown): produced is AsyncIterable<Reply> {
  return typeof produced === 'object' && produced !== null && Symbol.asyncIterator in produced;
}
