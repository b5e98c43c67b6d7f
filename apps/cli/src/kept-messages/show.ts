import type { Kept, KeptQueueOptions } from '#messaging/client';
import { exactJson, parseExactJson } from '#signing';

import { withKeptQueue } from '../bus/with-kept-queue.ts';
import { EXIT, type ExitCode, ExitError } from '../exit.ts';
import { written } from '../input/json.ts';
import { interruptibly, refuseIfInterrupted } from '../interruption.ts';
import { printable } from '../output/printable.ts';
import type { Noun } from './describe-kept.ts';

export interface ShowOptions {
  readonly body?: true;
  readonly json?: true;
}

/** Prints everything about the messages of one id; the body, which may hold players' data, if that is wanted. */
export function show(
  queue: KeptQueueOptions['queue'],
  [one]: Noun,
  id: string,
  options: ShowOptions,
): Promise<ExitCode> {
  return interruptibly((signal) =>
    withKeptQueue(queue, async (kept) => {
      let found: Kept[] = [];
      await kept.look(
        (each) => void ([each.facts.id, each.facts.commandId].includes(id) && found.push(each)),
        () => (found = []),
      );
      refuseIfInterrupted(signal);
      if (found.length === 0) {
        throw new ExitError(EXIT.failed, `no ${one} in ${kept.name} has the id ${printable(id)}`);
      }
      for (const each of found)
        process.stdout.write(options.json ? line(each, options) : text(each, options));
      return EXIT.success;
    }),
  );
}

function line({ message }: Kept, { body }: ShowOptions): string {
  const { headers, ...properties } = given(message.properties);
  return `${exactJson({ properties, headers, ...(body && { body: bodyOf(message.content) }) })}\n`;
}

function text({ facts, message }: Kept, { body }: ShowOptions): string {
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
