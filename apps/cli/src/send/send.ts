import { randomUUID } from 'node:crypto';

import type { ConsumeMessage } from 'amqplib';

import { COMMAND_TYPES, isCommandType, LANE_OF_COMMAND } from '#contracts';

import { readBus } from '../bus.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { jsonFault, readJson } from '../input.ts';
import type { Options } from '../options.ts';
import { printable } from '../output.ts';
import { describeCommand, describeReply } from './describe-reply.ts';
import { sendCommand } from './send-command.ts';

const DEADLINE_MS = { interactive: 15_000, reports: 600_000 } as const;

export type SendOptions = Options<'operator' | 'id', 'json', 'deadlineMs'> & { readonly data: string };

/**
 * Sends one command and prints its replies. A type that is not known here is sent, too: a worker of another version may
 * know it, and every worker answers.
 *
 * @throws ExitError if the data is not JSON, and like `sendCommand`
 */
export async function send(type: string, options: SendOptions): Promise<ExitCode> {
  const { id = randomUUID(), operator, json = false } = options;
  // Only the worker validates it.
  const text = await readJson('--data', options.data);
  if (!isCommandType(type)) {
    process.stderr.write(`${printable(type)} is no command of this version: ${COMMAND_TYPES.join(', ')}\n`);
  }
  const lane = isCommandType(type) ? LANE_OF_COMMAND[type] : 'interactive';
  const { deadlineMs = DEADLINE_MS[lane] } = options;
  const bus = readBus();
  if (!json) process.stdout.write(describeCommand({ type, id, text }));
  const sentAtMs = Date.now();
  let last: string | undefined;
  for await (const reply of sendCommand(bus, { type, text, id, operator, deadlineMs })) {
    last = String(reply.properties.type);
    const body = reply.content.toString();
    process.stdout.write(json ? replyLine(reply, body) : describeReply(last, body, Date.now() - sentAtMs));
  }
  return last === 'command.failed' ? EXIT.failed : EXIT.success;
}

/** A reply as one line of JSON, its body digit for digit as it was received. */
function replyLine({ properties }: ConsumeMessage, text: string): string {
  const { type, messageId, correlationId, headers } = properties as Record<keyof typeof properties, unknown>;
  // Between the tokens of JSON a line break is white space; within a string it is always escaped.
  const body = jsonFault(text) === undefined ? text.trim().replace(/[\r\n]+/g, ' ') : JSON.stringify(text);
  const envelope = JSON.stringify({ type, messageId, correlationId, headers });
  return `${envelope.slice(0, -1)},"body":${body}}\n`;
}
