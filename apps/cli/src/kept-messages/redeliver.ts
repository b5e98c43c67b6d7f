import { type Kept, redeliveredReply } from '#messaging/client';
import { readInternalKey } from '#settings';

import { readBus } from '../bus/bus.ts';
import { withKeptQueue } from '../bus/with-kept-queue.ts';
import type { ExitCode } from '../exit.ts';
import { interruptibly } from '../interruption.ts';
import { type Action, type ActionOptions, carryOut } from './carry-out.ts';
import type { Noun } from './describe-kept.ts';

const DIRECT = 'amq.rabbitmq.reply-to';

/** Sends parked replies to their queues, in order and under the ids that they had. */
export function redeliver(noun: Noun, options: ActionOptions): Promise<ExitCode> {
  const [{ prefix }, internalKey] = [readBus(), readInternalKey(process.env)];
  const replyOf = ({ message }: Kept) => redeliveredReply(message, prefix, internalKey);
  const action: Action = {
    verb: 'Redeliver',
    done: 'redelivered',
    noun,
    refusalOf: (kept) => (replyOf(kept) ? undefined : refusalOf(kept)),
    decide: (kept) => replyOf(kept) ?? 'leave',
    endsAtRefusal: false,
  };
  return interruptibly((signal) =>
    withKeptQueue('undelivered', (queue) => carryOut(queue, action, options, signal)),
  );
}

function refusalOf({ facts: { reason, queue } }: Kept): string {
  if (reason === 'EVENT_REFUSED') return 'an announcement: the listeners that took it would get it again';
  if (queue.startsWith(DIRECT))
    return 'its caller waited on a direct reply-to key, which ended with the connection';
  return 'no worker with this INTERNAL_KEY, or these secret keys, parked it: use the settings of the workers';
}
