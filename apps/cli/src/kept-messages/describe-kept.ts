import type { KeptMessage } from '#messaging/client';

import { alignedLines, printable, shortened } from '../output.ts';
import { NOUNS, type QueueName } from './kept-queue.ts';

const LONGEST_CELL = 48;
const DIRECT = 'amq.rabbitmq.reply-to';
/** What the broker names itself; such a queue ends with its caller's connection. */
const SERVER_NAMED = 'amq.gen-';

export function counted(count: number, queue: QueueName): string {
  return `${count} ${NOUNS[queue][count === 1 ? 0 : 1]}`;
}

/** Why a parked reply can never be delivered; undefined if its queue may be there again. */
export function neverDelivered({ reason, queue }: KeptMessage): string | undefined {
  if (reason === 'EVENT_REFUSED') return 'an announcement: the listeners that took it would get it again';
  if (queue.startsWith(DIRECT))
    return 'its caller waited on a direct reply-to key, which ended with the connection';
  if (reason === 'REPLY_QUEUE_GONE' && queue.startsWith(SERVER_NAMED))
    return 'its queue was named by the broker, and ended with the connection of its caller';
  return undefined;
}

export function keptLine({ id, type, operator, reason, failedAt, queue, bytes }: KeptMessage): string {
  const facts = { id, type, operator: operator ?? null, reason, failedAt: failedAt ?? null, queue, bytes };
  return `${JSON.stringify(facts)}\n`;
}

/** How many there are of each reason and type, the most frequent first. */
export function describeGroups(messages: readonly KeptMessage[]): string {
  const groups = Map.groupBy(messages, ({ reason, type }) => JSON.stringify([reason, type]));
  const rows = [...groups.values()]
    .toSorted((one, other) => other.length - one.length)
    .map((group) => {
      const times = group.map(({ failedAt }) => failedAt ?? '').toSorted();
      const [{ reason, type } = { reason: '', type: '' }] = group;
      return [cell(reason), cell(type), String(group.length), times[0] ?? '', times.at(-1) ?? ''];
    });
  return `${alignedLines([['reason', 'type', 'count', 'first', 'last'], ...rows], 2).join('\n')}\n`;
}

/** Each message on a line: a dead letter with its sender, a parked reply with whether it can be delivered. */
export function describeMessages(messages: readonly KeptMessage[], kind: QueueName): string {
  const isReply = kind === 'undelivered';
  const rows = messages.map((message) => {
    const { failedAt = '', reason, type, operator = '', caller = '', queue, bytes, id } = message;
    const own = isReply ? [neverDelivered(message) ? 'never' : 'waits'] : [operator, caller];
    return [failedAt, ...[reason, type, ...own, queue].map(cell), String(bytes), printable(id)];
  });
  const own = isReply ? ['delivery'] : ['operator', 'caller'];
  const head = ['failed at', 'reason', 'type', ...own, 'queue', 'bytes', 'id'];
  return `${alignedLines([head, ...rows], head.length - 2).join('\n')}\n`;
}

/** What strangers wrote may have any length. */
function cell(text: string): string {
  return shortened(printable(text), LONGEST_CELL);
}
