import { isObservable, lastValueFrom } from 'rxjs';

import { CommandError, type Reply } from '#contracts';
import { DeadlineExceeded } from '#resilience';

import type { CheckedCommand } from '../command/command.ts';
import { type Outbox, ReplyQueueClosed } from '../replies/outbox.ts';
import { isFinal } from '../replies/reply-message.ts';
import { type Settlement, settlementOf } from '../command/settlement.ts';
import type { Step } from './step.ts';

/** What a handler returns: its one reply, or several of which the last is final. */
type Produced = Reply | AsyncIterable<Reply> | undefined;

/**
 * Ends a command at its deadline, whatever is still under way. A reply that is being sent then keeps its number; if it is
 * the final one, the command ends with it.
 */
export function deadline(nowMs: () => number): Step {
  const expire = async (command: CheckedCommand): Promise<Settlement> => {
    const { replies } = command;
    const thrown: unknown = await replies.underWay?.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (replies.final) return { kind: 'answer', reply: replies.final, isSent: true };
    const isUndecided = thrown !== undefined && !(thrown instanceof ReplyQueueClosed);
    return settlementOf(command, isUndecided ? thrown : new DeadlineExceeded(), nowMs());
  };
  return (command, next) =>
    new Promise((resolve, reject) => {
      const unsubscribe = command.deadline.onExpired(() => resolve(expire(command)));
      if (command.deadline.expired) return;
      next(command).finally(unsubscribe).then(resolve, reject);
    });
}

/**
 * Runs the handler, and answers with its final reply. Of several replies each is sent as it comes, the final one too.
 * What the handler throws is the command's failure.
 *
 * @param onSent called after each reply that was sent while the handler ran
 * @throws ReplyQueueClosed if the reply queue takes nothing
 */
export function run(outbox: Outbox, onSent: (command: CheckedCommand) => void, nowMs: () => number): Step {
  const send = async (command: CheckedCommand, reply: Reply): Promise<void> => {
    // The final reply was sent at the deadline; nothing may follow it.
    if (command.deadline.expired) throw new DeadlineExceeded();
    await outbox.send(command, reply);
    onSent(command);
  };
  const sendAll = async (command: CheckedCommand, result: unknown): Promise<Settlement> => {
    // Nest wraps what interceptors touch.
    const produced = (isObservable(result) ? await lastValueFrom(result) : result) as Produced;
    if (isReplies(produced)) {
      for await (const reply of produced) {
        await send(command, reply);
        if (isFinal(reply)) return { kind: 'answer', reply, isSent: true };
      }
    } else if (isFinalReply(produced)) return { kind: 'answer', reply: produced };
    throw new CommandError('INTERNAL_ERROR', {
      cause: new Error('a handler ended without a final reply'),
    });
  };
  return (command) => {
    const fail = (thrown: unknown): Settlement => {
      if (thrown instanceof ReplyQueueClosed) throw thrown;
      return settlementOf(command, thrown, nowMs());
    };
    try {
      return command.handler(command.data, command.context).then((produced) => {
        if (isFinalReply(produced)) return { kind: 'answer', reply: produced } as const;
        return sendAll(command, produced).catch(fail);
      }, fail);
    } catch (thrown) {
      return Promise.resolve(fail(thrown));
    }
  };
}

/** Whether a handler produced its final reply and nothing else, as most do. */
function isFinalReply(produced: unknown): produced is Reply {
  return (
    typeof produced === 'object' && produced !== null && 'type' in produced && isFinal(produced as Reply)
  );
}

function isReplies(produced: Produced): produced is AsyncIterable<Reply> {
  return typeof produced === 'object' && Symbol.asyncIterator in produced;
}
