import { randomBytes } from 'node:crypto';

import { isCommandType } from '#contracts';
import { type Kept, type KeptQueueOptions, Redriver } from '#messaging/client';
import { exactJson, parseExactJson } from '#signing';

import { withKeptQueue } from '../bus/with-kept-queue.ts';
import { EXIT, type ExitCode, ExitError } from '../exit.ts';
import { commandFaults } from '../input/command-faults.ts';
import { written } from '../input/json.ts';
import { interruptibly, refuseIfInterrupted } from '../interruption.ts';
import { printable } from '../output/printable.ts';
import {
  counted,
  describeGroups,
  describeMessages,
  keptLine,
  neverDelivered,
  type Noun,
} from './describe-kept.ts';
import { isSelected, type SelectionOptions } from './selection.ts';

type QueueName = KeptQueueOptions['queue'];

/** How many messages are listed for people; the groups count all. */
const DEFAULT_LIMIT = 20;

export interface ListOptions extends SelectionOptions {
  readonly limit?: number;
  readonly json?: true;
}

export interface ShowOptions {
  readonly body?: true;
  readonly json?: true;
}

/** Counts what lies in the queue, prints the newest, oldest first, and leaves all as it is. */
export function list(queue: QueueName, noun: Noun, options: ListOptions): Promise<ExitCode> {
  const { limit, json } = options;
  return look(
    queue,
    options,
    ({ facts }) => isSelected(facts, options),
    (kept, name) => {
      const all = kept.map(({ facts }) => facts);
      if (json) {
        for (const facts of limit === undefined ? all : all.slice(-limit))
          process.stdout.write(keptLine(facts));
        return;
      }
      process.stdout.write(`${counted(all.length, noun)} in ${name}\n`);
      if (all.length === 0) return;
      const newest = all.slice(-(limit ?? DEFAULT_LIMIT));
      const rest =
        newest.length < all.length ? `the newest ${newest.length}; --limit ${all.length} lists all\n` : '';
      process.stdout.write(`\n${describeGroups(all)}\n${rest}${describeMessages(newest, queue)}`);
      const lost = all.filter(neverDelivered).length;
      if (queue === 'undelivered' && lost > 0) {
        process.stdout.write(`\n${lost} can never be delivered: replies discard removes what is chosen\n`);
      }
    },
  );
}

/** Prints everything about the messages of one id; the body, which may hold players' data, if that is wanted. */
export function show(queue: QueueName, [one]: Noun, id: string, options: ShowOptions): Promise<ExitCode> {
  const hasId = ({ facts }: Kept): boolean => [facts.id, facts.commandId].includes(id);
  return look(queue, {}, hasId, (found, name) => {
    if (found.length === 0)
      throw new ExitError(EXIT.failed, `no ${one} in ${name} has the id ${printable(id)}`);
    for (const each of found) {
      const faults = queue === 'deadLetters' ? faultsOf(each) : [];
      process.stdout.write(options.json ? line(each, faults, options) : text(each, faults, options));
    }
  });
}

function look(
  queue: QueueName,
  selection: SelectionOptions,
  isMeant: (kept: Kept) => boolean,
  print: (found: readonly Kept[], name: string) => void,
): Promise<ExitCode> {
  return interruptibly((signal) =>
    withKeptQueue(
      queue,
      async (kept) => {
        let found: Kept[] = [];
        await kept.look(
          (each) => void (isMeant(each) && found.push(each)),
          () => (found = []),
        );
        refuseIfInterrupted(signal);
        print(found, kept.name);
        return EXIT.success;
      },
      selection,
    ),
  );
}

/** What a worker of this version finds invalid in a dead letter; no value is quoted. */
function faultsOf({ facts, message }: Kept): string[] {
  if (facts.isCut) return [];
  // Whoever wrote it is not asked here, so that any key will do.
  const { type, data, fault, violations } = new Redriver('poker', randomBytes(32)).read(message).envelope;
  if (fault) return [fault.message];
  const ofProperties = violations.map(({ pointer, message: why }) => `${pointer} ${why}`);
  return [...ofProperties, ...(isCommandType(type) ? commandFaults(type, data) : [])];
}

function line({ message }: Kept, violations: readonly string[], { body }: ShowOptions): string {
  const { headers, ...properties } = given(message.properties);
  const shown = { properties, headers, ...(violations.length > 0 && { violations }) };
  return `${exactJson({ ...shown, ...(body && { body: bodyOf(message.content) }) })}\n`;
}

function text({ facts, message }: Kept, faults: readonly string[], { body }: ShowOptions): string {
  const { headers, ...properties } = given(message.properties);
  const members = (of: object): string[] =>
    Object.entries(of).map(([name, value]) => `  ${printable(`${name}: ${written(value)}`)}`);
  const content = bodyOf(message.content);
  const lines = typeof content === 'string' ? [content] : exactJson(content, 2).split('\n');
  return [
    'properties',
    ...members(properties),
    'headers',
    ...members(headers ?? {}),
    ...(faults.length > 0 ? ['invalid', ...faults.map((fault) => `  ${printable(fault)}`)] : []),
    `body, ${facts.bytes} bytes${facts.isCut ? `, of which ${message.content.length} were kept` : ''}`,
    ...(body ? lines : ["(may hold players' data; --body prints it)"]).map((each) => `  ${printable(each)}`),
    '',
    '',
  ].join('\n');
}

/** amqplib gives what was not set as undefined. */
function given(properties: Kept['message']['properties']): Partial<Kept['message']['properties']> {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}

/** As parsed; a text if it is not JSON, and in base64 if it is not even UTF-8. */
function bodyOf(content: Buffer): unknown {
  try {
    const whole = new TextDecoder('utf-8', { fatal: true }).decode(content);
    try {
      return parseExactJson(whole);
    } catch {
      return whole;
    }
  } catch {
    return `base64 ${content.toString('base64')}`;
  }
}
