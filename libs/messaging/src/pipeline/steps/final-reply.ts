import { isObservable, lastValueFrom } from 'rxjs';

import { CommandError, type Reply } from '#contracts';

import { isFinal } from '../../replies/reply-message.ts';

/** What a handler returns: its one reply, or several of which the last is final. */
type Produced = Reply | AsyncIterable<Reply>;

/** Whether a handler produced its final reply and nothing else, as most do. */
export function isFinalReply(produced: unknown): produced is Reply {
  return (
    typeof produced === 'object' && produced !== null && 'type' in produced && isFinal(produced as Reply)
  );
}

/**
 * Goes on to the final reply of what a handler produced, handing over each reply before it as it comes.
 *
 * @param result a reply, replies, or an observable of either: Nest wraps what interceptors touch
 * @param emit takes a reply that is not final; the handler goes on when it is done
 * @throws CommandError `INTERNAL_ERROR` if the handler ends without a final reply
 */
export async function finalReply(result: unknown, emit: (reply: Reply) => Promise<void>): Promise<Reply> {
  const produced = (isObservable(result) ? await lastValueFrom(result) : result) as Produced | undefined;
  if (isReplies(produced)) {
    for await (const reply of produced) {
      if (isFinal(reply)) return reply;
      await emit(reply);
    }
  } else if (isFinalReply(produced)) return produced;
  throw new CommandError('INTERNAL_ERROR', { cause: new Error('a handler ended without a final reply') });
}

function isReplies(produced: Produced | undefined): produced is AsyncIterable<Reply> {
  return typeof produced === 'object' && Symbol.asyncIterator in produced;
}
