import { randomBytes } from 'node:crypto';

import { isCommandType } from '#contracts';
import { type Kept, Redriver } from '#messaging/client';
import { exactJson, parseExactJson } from '#signing';

import { commandFaults } from '../command-faults.ts';
import { EXIT, ExitError } from '../exit.ts';
import { utf8Of } from '../input.ts';
import type { Options } from '../options.ts';
import { printable, written } from '../output.ts';
import {
  collect,
  counted,
  describeGroups,
  describeMessages,
  isSelected,
  keptLine,
  neverDelivered,
  NOUNS,
  type QueueName,
  type SelectionOptions,
  withKeptQueue,
} from './kept-queue.ts';

/** How many messages are listed for people; the groups count all. */
const DEFAULT_LIMIT = 20;

export type ListOptions = SelectionOptions & Options<never, 'json', 'limit'>;
export type ShowOptions = Options<never, 'body' | 'json'>;

/** Counts what is in the queue, prints the newest, oldest first, and leaves all as it is. */
export function list(queue: QueueName, options: ListOptions): Promise<void> {
  const { json, limit = json ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT } = options;
  return withKeptQueue(queue, options, async (kept, signal) => {
    const all = await collect(kept, signal, ({ facts }) => (isSelected(facts, options) ? facts : undefined));
    const newest = all.slice(-limit);
    if (json) {
      for (const facts of newest) process.stdout.write(keptLine(facts));
      return;
    }
    process.stdout.write(`${counted(all.length, queue)} in ${kept.name}\n`);
    if (all.length === 0) return;
    const rest =
      newest.length < all.length ? `the newest ${newest.length}; --limit ${all.length} lists all\n` : '';
    process.stdout.write(`\n${describeGroups(all)}\n${rest}${describeMessages(newest, queue)}`);
    const lost = queue === 'undelivered' ? all.filter(neverDelivered).length : 0;
    if (lost > 0) {
      process.stdout.write(`\n${lost} can never be delivered: replies discard removes what is chosen\n`);
    }
  });
}

/** Prints everything about the messages of one id; the body, which may hold players' data, if that is wanted. */
export function show(queue: QueueName, id: string, { body, json }: ShowOptions): Promise<void> {
  return withKeptQueue(queue, {}, async (kept, signal) => {
    const found = await collect(kept, signal, (each) =>
      [each.facts.id, each.facts.commandId].includes(id) ? each : undefined,
    );
    if (found.length === 0)
      throw new ExitError(EXIT.failed, `no ${NOUNS[queue][0]} in ${kept.name} has the id ${printable(id)}`);
    for (const each of found) {
      const { message, facts } = each;
      const { headers = {}, ...properties } = message.properties;
      const violations = queue === 'deadLetters' ? faultsOf(each) : [];
      const content = bodyOf(message.content);
      if (json) {
        const shown = { properties, headers, ...(violations.length > 0 && { violations }) };
        process.stdout.write(`${exactJson(body ? { ...shown, body: content } : shown)}\n`);
        continue;
      }
      const ofWhich = facts.isCut ? `, of which ${message.content.length} were kept` : '';
      const text = typeof content === 'string' ? content : exactJson(content, 2);
      const sections: readonly (readonly [string, readonly string[]])[] = [
        ['properties', membersOf(properties)],
        ['headers', membersOf(headers)],
        ...(violations.length > 0 ? [['invalid', violations] as const] : []),
        [
          `body, ${facts.bytes} bytes${ofWhich}`,
          body ? text.split('\n') : ["(may hold players' data; --body prints it)"],
        ],
      ];
      const lines = sections.flatMap(([title, own]) => [title, ...own.map((line) => `  ${printable(line)}`)]);
      process.stdout.write(`${lines.join('\n')}\n\n`);
    }
  });
}

/** amqplib gives what was not set as undefined. */
function membersOf(of: object): string[] {
  const given = Object.entries(of).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name}: ${written(value)}`);
}

/** What a worker of this version finds invalid in a dead letter; no value is quoted. */
function faultsOf({ facts, message }: Kept): string[] {
  if (facts.isCut) return [];
  // Who wrote it does not matter here, so that any key will do.
  const { type, data, fault, violations } = new Redriver('poker', randomBytes(32)).read(message).envelope;
  if (fault) return [fault.message];
  const ofProperties = violations.map(({ pointer, message: why }) => `${pointer} ${why}`);
  return [...ofProperties, ...(isCommandType(type) ? commandFaults(type, data) : [])];
}

/** The body as parsed; a text if it is not JSON, and in base64 if it is not even UTF-8. */
function bodyOf(content: Buffer): unknown {
  const text = utf8Of(content);
  if (text === undefined) return `base64 ${content.toString('base64')}`;
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}
