import { randomBytes } from 'node:crypto';

import { isCommandType } from '#contracts';
import { type Kept, Redriver } from '#messaging/client';
import { exactJson } from '#signing';

import { commandFaults } from '../command-faults.ts';
import { EXIT, ExitError } from '../exit.ts';
import { jsonOr, utf8Of } from '../input.ts';
import type { Options } from '../options.ts';
import { memberLines, printable } from '../output.ts';
import {
  counted,
  describeGroups,
  describeMessages,
  keptLine,
  neverDelivered,
  NOUNS,
  type QueueName,
  type SelectionOptions,
  withMessages,
} from './kept-queue.ts';

/** How many messages are listed for people; the groups count all. */
const DEFAULT_LIMIT = 20;

export type ListOptions = SelectionOptions & Options<never, 'json', 'limit'>;
export type ShowOptions = Options<never, 'body' | 'json'>;

export function list(queue: QueueName, options: ListOptions): Promise<void> {
  const { json, limit = json ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT } = options;
  const read = ({ facts }: Kept) => facts;
  return withMessages(queue, options, read, (all, kept) => {
    const newest = all.slice(-limit);
    const print = (text: string): unknown => process.stdout.write(text);
    if (json) return newest.forEach((facts) => print(keptLine(facts)));
    print(`${counted(all.length, queue)} in ${kept.name}\n`);
    if (all.length === 0) return;
    print(`\n${describeGroups(all)}\n`);
    if (newest.length < all.length) print(`the newest ${newest.length}; --limit ${all.length} lists all\n`);
    print(describeMessages(newest, queue));
    const lost = queue === 'undelivered' ? all.filter(neverDelivered).length : 0;
    if (lost > 0) print(`\n${lost} can never be delivered: replies discard removes what is chosen\n`);
  });
}

export function show(queue: QueueName, id: string, { body, json }: ShowOptions): Promise<void> {
  const read = (each: Kept) => each;
  return withMessages(queue, { id: [id] }, read, (found, kept) => {
    if (found.length === 0)
      throw new ExitError(EXIT.failed, `no ${NOUNS[queue][0]} in ${kept.name} has the id ${printable(id)}`);
    for (const each of found) {
      const { content, properties: all } = each.message;
      const { headers = {}, ...properties } = all;
      const violations = queue === 'deadLetters' ? faultsOf(each) : [];
      const shown = { properties, headers, ...(violations.length > 0 && { violations }) };
      process.stdout.write(
        json
          ? `${exactJson(body ? { ...shown, body: bodyOf(content) } : shown)}\n`
          : describe(each, shown, body ? bodyOf(content) : "(may hold players' data; --body prints it)"),
      );
    }
  });
}

function describe({ facts, message }: Kept, shown: object, body: unknown): string {
  const cut = facts.isCut ? `, of which ${message.content.length} were kept` : '';
  const text = typeof body === 'string' ? body : exactJson(body, 2);
  const sections = { ...shown, [`body, ${facts.bytes} bytes${cut}`]: text.split('\n') };
  const lines = Object.entries(sections).flatMap(([name, of]) => [
    name === 'violations' ? 'invalid' : name,
    ...(Array.isArray(of) ? of : memberLines(of)).map((line) => `  ${printable(line)}`),
  ]);
  return `${lines.join('\n')}\n\n`;
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
  return text === undefined ? `base64 ${content.toString('base64')}` : jsonOr(text, text);
}
