import type { KeptMessage, KeptQueueOptions } from '#messaging/client';

import { printable, shortened } from '../output/printable.ts';
import { alignedLines } from '../output/table.ts';

const LONGEST_CELL = 48;
const DIRECT = 'amq.rabbitmq.reply-to';
/** What the broker names itself; such a queue goes with its caller's connection. */
const SERVER_NAMED = 'amq.gen-';

/** What is counted, as one and as many. */
export type Noun = readonly [one: string, many: string];

export function counted(count: number, [one, many]: Noun): string {
  return `${count} ${count === 1 ? one : many}`;
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

/** A message as one line of JSON. */
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
  return `${alignedLines([['reason', 'type', 'count', 'first', 'last'], ...rows], [2]).join('\n')}\n`;
}

/** Each message on a line: of a dead letter whose it was, of a parked reply whether it can be delivered. */
export function describeMessages(messages: readonly KeptMessage[], kind: KeptQueueOptions['queue']): string {
  const isReply = kind === 'undelivered';
  const titles = isReply ? ['delivery', 'queue'] : ['operator', 'caller', 'queue'];
  const rows = messages.map((message) => {
    const { failedAt = '', reason, type, operator = '', caller = '', queue, bytes, id } = message;
    const delivery = neverDelivered(message) === undefined ? 'waits' : 'never';
    const own = isReply ? [delivery, queue] : [operator, caller, queue];
    return [failedAt, ...[reason, type, ...own].map(cell), String(bytes), printable(id)];
  });
  const head = ['failed at', 'reason', 'type', ...titles, 'bytes', 'id'];
  return `${alignedLines([head, ...rows], [head.length - 2]).join('\n')}\n`;
}

/** What was given by others: an operator may have any length. */
function cell(text: string): string {
  return shortened(printable(text), LONGEST_CELL);
}
