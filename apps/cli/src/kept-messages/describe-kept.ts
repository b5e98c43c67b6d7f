import type { KeptMessage } from '#messaging/client';

import { printable, shortened } from '../output/printable.ts';
import { type Column, tableLines } from '../output/table.ts';

const LONGEST_CELL = 48;
const GROUPS: readonly Column[] = [
  { title: 'reason' },
  { title: 'type' },
  { title: 'count', isNumber: true },
  { title: 'first' },
  { title: 'last' },
];
const MESSAGES: readonly Column[] = [
  { title: 'failed at' },
  { title: 'reason' },
  { title: 'type' },
  { title: 'operator' },
  { title: 'caller' },
  { title: 'queue' },
  { title: 'bytes', isNumber: true },
  { title: 'id' },
];

/** What is counted, as one and as many. */
export type Noun = readonly [one: string, many: string];

export function counted(count: number, [one, many]: Noun): string {
  return `${count} ${count === 1 ? one : many}`;
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
  return `${tableLines(GROUPS, rows).join('\n')}\n`;
}

/** Each message on a line. */
export function describeMessages(messages: readonly KeptMessage[]): string {
  const rows = messages.map(
    ({ failedAt = '', reason, type, operator = '', caller = '', queue, bytes, id }) => [
      failedAt,
      ...[reason, type, operator, caller, queue].map(cell),
      String(bytes),
      printable(id),
    ],
  );
  return `${tableLines(MESSAGES, rows).join('\n')}\n`;
}

/** What was given by others: an operator may have any length. */
function cell(text: string): string {
  return shortened(printable(text), LONGEST_CELL);
}
