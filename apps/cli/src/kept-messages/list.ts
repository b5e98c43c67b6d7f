import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';

import { type Kept, type KeptMessage, KeptQueue, type KeptQueueOptions, Redriver } from '#messaging/operator';
import { DIRECT_REPLY_TO } from '#rabbitmq';
import { readInternalKey, readSomeSettings } from '#settings';
import { exactJson } from '#signing';

import { commandFaults } from '../command-faults.ts';
import { EXIT, ExitError, interruptibly } from '../exit.ts';
import { jsonOr, type Options } from '../input.ts';
import { alignedLines, counted, jsonLine, memberLines, printable, shortened } from '../output.ts';
import { readBus, SERVER_NAMED } from '../servers.ts';

export type QueueName = KeptQueueOptions['queue'];

/** Selects messages that match one value of each given option. */
export type SelectionOptions = Options<never, 'all', 'since'> & {
  readonly [N in 'id' | 'reason' | 'type' | 'caller' | 'queue']?: readonly string[];
};
export type ListOptions = SelectionOptions & Options<never, 'json', 'limit'>;
export type ShowOptions = Options<never, 'body' | 'json'>;

export const NOUNS: Readonly<Record<QueueName, readonly [one: string, many: string]>> = {
  deadLetters: ['dead letter', 'dead letters'],
  undelivered: ['parked reply', 'parked replies'],
};

/** How many messages are listed for people; the groups count all. */
const DEFAULT_LIMIT = 20;
const LONGEST_CELL = 48;
/** How many existing values are suggested for an option that matches nothing. */
const MOST_HINTS = 10;
const WITHHELD = "(may hold players' data; --body prints it)";

export function list(queue: QueueName, options: ListOptions): Promise<void> {
  const { json, limit = json ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT } = options;
  const read = ({ facts }: Kept) => facts;
  return withMessages(queue, options, read, (all, kept) => {
    const newest = all.slice(-limit);
    if (json) return newest.forEach((facts) => process.stdout.write(keptLine(facts)));
    const lines = [`${counted(all.length, ...NOUNS[queue])} in ${kept.name}`];
    if (all.length > 0) lines.push('', ...groupLines(all, queue), '');
    if (newest.length < all.length)
      lines.push(`the newest ${newest.length}; --limit ${all.length} lists all`);
    if (all.length > 0) lines.push(...messageLines(newest, queue));
    const lost = queue === 'undelivered' ? all.filter(neverDelivered).length : 0;
    if (lost > 0) lines.push('', `${lost} can never be delivered: replies discard removes what is chosen`);
    process.stdout.write(`${lines.join('\n')}\n`);
  });
}

export function show(queue: QueueName, id: string, { body, json }: ShowOptions): Promise<void> {
  const read = (each: Kept) => each;
  return withMessages(queue, { id: [id] }, read, (found, kept) => {
    if (found.length === 0) {
      const none = `no ${NOUNS[queue][0]} in ${kept.name} has the id ${printable(id)}`;
      throw new ExitError(EXIT.failed, `${none}; list shows the ids`);
    }
    for (const each of found) {
      const { content, properties: all } = each.message;
      const { headers = {}, ...properties } = all;
      const violations = queue === 'deadLetters' ? faultsOf(each) : [];
      const shown = { properties, headers, ...(violations.length > 0 && { violations }) };
      const parsed = body && bodyOf(content);
      process.stdout.write(
        json ? `${jsonLine({ ...shown, body: parsed })}\n` : describe(each, shown, parsed),
      );
    }
  });
}

/**
 * Reads the selected messages of a queue, leaves all in their places, and keeps the queue open while `work`
 * runs. The workers' key, if the settings contain it, verifies who wrote a message. A selection by caller
 * requires it.
 */
export function withMessages<T>(
  queue: QueueName,
  selection: SelectionOptions,
  read: (kept: Kept) => T,
  work: (found: readonly T[], kept: KeptQueue, signal: AbortSignal) => Promise<void> | void,
): Promise<void> {
  return interruptibly(async (signal) => {
    // An invalid key is an error: without a key, nothing would be verified.
    readSomeSettings(['INTERNAL_KEY'], process.env);
    let internalKey: Buffer | undefined;
    try {
      internalKey = readInternalKey(process.env);
    } catch (error) {
      if (selection.caller) throw error;
    }
    await using kept = await KeptQueue.open({ ...readBus(), queue, internalKey });
    const others = new UnmatchedOptions(selection);
    const found = await kept.readAll((each) => {
      others.add(each.facts);
      return isSelected(each.facts, selection) ? read(each) : undefined;
    });
    if (signal.aborted) throw new ExitError(EXIT.failed, 'interrupted; nothing was changed');
    if (found.length === 0) process.stderr.write(others.hints());
    await work(found, kept, signal);
  });
}

function isSelected(message: KeptMessage, { since, all: _all, ...options }: SelectionOptions): boolean {
  const fits = Object.entries(selectableFacts(message)).every(
    ([name, own]) => options[name as keyof typeof options]?.some((value) => own.includes(value)) ?? true,
  );
  return fits && (since === undefined || Date.parse(message.failedAt ?? '') >= since);
}

function selectableFacts({ id, commandId, reason, type, caller = 'anonymous', queue }: KeptMessage) {
  return { id: [id, commandId], reason: [reason], type: [type], caller: [caller], queue: [queue] };
}

/** Finds options whose values no message has, and the values that exist instead. */
class UnmatchedOptions {
  readonly #selection: SelectionOptions;
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(selection: SelectionOptions) {
    this.#selection = selection;
  }

  add(message: KeptMessage): void {
    for (const [name, [value = '']] of Object.entries(selectableFacts(message))) {
      if (name === 'id' || !this.#selection[name as keyof SelectionOptions]) continue;
      const counts = this.#counts.get(name) ?? new Map<string, number>();
      this.#counts.set(name, counts.set(value, (counts.get(value) ?? 0) + 1));
    }
  }

  /** A line for each such option; empty if all of them match something. */
  hints(): string {
    const lines = [...this.#counts].flatMap(([name, counts]) => {
      const given = this.#selection[name as 'reason'] ?? [];
      if (given.some((value) => counts.has(value))) return [];
      const known = [...counts].toSorted(([, one], [, other]) => other - one).slice(0, MOST_HINTS);
      const existing = known.map(([value, count]) => `${cell(value)} (${count})`).join(', ');
      return [`no message has --${name} ${given.map(cell).join(', ')}; there are ${existing}\n`];
    });
    return lines.join('');
  }
}

/** Returns why a parked reply can never be delivered; undefined if its queue may exist again. */
export function neverDelivered({ reason, queue }: KeptMessage): string | undefined {
  if (reason === 'EVENT_REFUSED') return 'an announcement: the listeners that took it would get it again';
  if (queue.startsWith(DIRECT_REPLY_TO))
    return 'its caller waited on a direct reply-to key, which ended with the connection';
  if (reason === 'REPLY_QUEUE_GONE' && queue.startsWith(SERVER_NAMED))
    return 'its queue was named by the broker, and ended with the connection of its caller';
  return undefined;
}

export function keptLine(message: KeptMessage): string {
  const { id, type, operator = null, reason, failedAt = null, queue, bytes } = message;
  return `${jsonLine({ id, type, operator, reason, failedAt, queue, bytes })}\n`;
}

/** Counts by reason and type and, of dead letters, by caller. */
export function groupLines(messages: readonly KeptMessage[], queue: QueueName): string[] {
  const namesOf = (message: KeptMessage): string[] => [
    message.reason,
    message.type,
    ...(queue === 'deadLetters' ? [callerOf(message)] : []),
  ];
  const groups = Map.groupBy(messages, (message) => JSON.stringify(namesOf(message)));
  const rows = [...groups]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([names, group]) => {
      const times = group.map(({ failedAt }) => failedAt ?? '').toSorted();
      const cells = (JSON.parse(names) as string[]).map(cell);
      return [...cells, String(group.length), times[0] ?? '', times.at(-1) ?? ''];
    });
  const titles = ['reason', 'type', ...(queue === 'deadLetters' ? ['caller'] : [])];
  return alignedLines([[...titles, 'count', 'first', 'last'], ...rows], titles.length);
}

/** Returns the sender of a command: its verified broker user, and the `app_id` that it chose. */
function callerOf({ caller = 'anonymous', appId }: KeptMessage): string {
  return appId === undefined ? caller : `${caller} (${appId})`;
}

function messageLines(messages: readonly KeptMessage[], queue: QueueName): string[] {
  const own = queue === 'undelivered' ? (['delivery'] as const) : (['operator', 'caller'] as const);
  const names = ['reason', 'type', ...own, 'queue'] as const;
  const rows = messages.map((message) => {
    const delivery = neverDelivered(message) ? 'never' : 'waits';
    const texts = { ...message, delivery, caller: callerOf(message) };
    const cells = names.map((name) => cell(texts[name] ?? ''));
    return [message.failedAt ?? '', ...cells, String(message.bytes), printable(message.id)];
  });
  return alignedLines([['failed at', ...names, 'bytes', 'id'], ...rows], names.length + 1);
}

/** Truncates a value from a message, which may have any length. */
const cell = (text: string): string => shortened(printable(text), LONGEST_CELL);

function describe({ facts, message }: Kept, shown: object, body: unknown = WITHHELD): string {
  const cut = facts.isCut ? `, of which ${message.content.length} were kept` : '';
  const text = typeof body === 'string' ? body : exactJson(body, 2);
  const sections = { ...shown, [`body, ${facts.bytes} bytes${cut}`]: text.split('\n') };
  const lines = Object.entries(sections).flatMap(([name, of]) => [
    name === 'violations' ? 'invalid' : name,
    ...(Array.isArray(of) ? of : memberLines(of)).map((line) => `  ${printable(line)}`),
  ]);
  return `${lines.join('\n')}\n\n`;
}

/** Lists what is invalid in a dead letter for a worker of this version, without values. */
function faultsOf({ facts, message }: Kept): string[] {
  if (facts.isCut) return [];
  // Any key will do, because it does not matter here who wrote the message.
  const { type, data, fault, violations } = new Redriver('poker', randomBytes(32)).read(message).envelope;
  if (fault) return [fault.message];
  return [
    ...violations.map(({ pointer, message: why }) => `${pointer} ${why}`),
    ...commandFaults(type, data),
  ];
}

/** Parses a body. @returns text if it is not JSON, and base64 if it is not UTF-8 */
export function bodyOf(content: Buffer): unknown {
  if (!isUtf8(content)) return `base64 ${content.toString('base64')}`;
  return jsonOr(content.toString(), content.toString());
}
