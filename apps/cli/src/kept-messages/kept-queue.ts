import { type Kept, type KeptMessage, KeptQueue, type KeptQueueOptions } from '#messaging/client';
import { readInternalKey } from '#settings';

import { EXIT, ExitError } from '../exit.ts';
import { interruptibly } from '../interruption.ts';
import type { Options } from '../options.ts';
import { alignedLines, printable, shortened } from '../output.ts';
import { readBus } from '../servers.ts';

export type QueueName = KeptQueueOptions['queue'];

/** What the messages of a queue are called, as one and as many. */
export const NOUNS = {
  deadLetters: ['dead letter', 'dead letters'],
  undelivered: ['parked reply', 'parked replies'],
} as const satisfies Record<QueueName, unknown>;

const LONGEST_CELL = 48;
const DIRECT = 'amq.rabbitmq.reply-to';
/** What the broker names itself; such a queue ends with its caller's connection. */
const SERVER_NAMED = 'amq.gen-';

/** Selects the messages that match one value of each option that is given. */
export type SelectionOptions = Options<never, 'all', 'since'> & {
  readonly [N in 'id' | 'reason' | 'type' | 'caller' | 'queue']?: readonly string[];
};

function isSelected(
  { id, commandId, reason, type, caller = 'anonymous', queue, failedAt = '' }: KeptMessage,
  { since, ...options }: SelectionOptions,
): boolean {
  const facts = { id: [id, commandId], reason: [reason], type: [type], caller: [caller], queue: [queue] };
  const fits = Object.entries(facts).every(
    ([name, own]) => options[name as keyof typeof facts]?.some((value) => own.includes(value)) ?? true,
  );
  return fits && (since === undefined || Date.parse(failedAt) >= since);
}

/**
 * Looks at the selected messages of a queue, leaves all of them in their places, and keeps the queue open while `work` runs.
 * Where the messages come from is proved by the key of the workers, if the settings give it; a selection by a caller needs it.
 *
 * @param work ends soon after its signal, the user's, is aborted
 */
export function withMessages<T>(
  queue: QueueName,
  selection: SelectionOptions,
  read: (kept: Kept) => T,
  work: (found: readonly T[], kept: KeptQueue, signal: AbortSignal) => Promise<void> | void,
): Promise<void> {
  return interruptibly(async (signal) => {
    let internalKey: Buffer | undefined;
    try {
      internalKey = readInternalKey(process.env);
    } catch (error) {
      if (selection.caller) throw error;
    }
    await using kept = await KeptQueue.open({ ...readBus(), queue, internalKey });
    const found = await kept.look((each) => (isSelected(each.facts, selection) ? read(each) : undefined));
    if (signal.aborted) throw new ExitError(EXIT.failed, 'interrupted; nothing was done');
    await work(found, kept, signal);
  });
}

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
const cell = (text: string): string => shortened(printable(text), LONGEST_CELL);
