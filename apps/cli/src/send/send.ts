import { randomUUID } from 'node:crypto';

import { COMMAND_TYPES, isCommandType, LANE_OF_COMMAND } from '#contracts';
import type { BusReply } from '#messaging/client';

import { withBusClient } from '../bus/with-bus-client.ts';
import { EXIT, type ExitCode, usageError } from '../exit.ts';
import { jsonFault } from '../input/exact-json.ts';
import { readSource } from '../input/read-source.ts';
import { printable } from '../output/printable.ts';
import { describeCommand, describeReply } from './describe-reply.ts';
import { replyLine } from './reply-line.ts';
import type { SendOptions } from './send-options.ts';

const DEADLINE_MS = { interactive: 15_000, reports: 600_000 } as const;

/**
 * Sends one command and prints its replies. A type that is not known here is sent, too: a worker of another version may
 * know it, and every worker answers.
 *
 * @throws ExitError if the data is not JSON, and like `withBusClient`
 */
export async function send(type: string, options: SendOptions): Promise<ExitCode> {
  const { id = randomUUID(), operator, json = false } = options;
  const text = await readData(options.data);
  if (!isCommandType(type)) {
    process.stderr.write(`${printable(type)} is no command of this version: ${COMMAND_TYPES.join(', ')}\n`);
  }
  const lane = isCommandType(type) ? LANE_OF_COMMAND[type] : 'interactive';
  const { deadlineMs = DEADLINE_MS[lane] } = options;

  return withBusClient(async (client) => {
    if (!json) process.stdout.write(describeCommand({ type, id, text }));
    const sentAtMs = Date.now();
    let last: BusReply | undefined;
    for await (const reply of client.send({ type, text, id, operator, deadlineMs })) {
      last = reply;
      process.stdout.write(json ? replyLine(reply) : describeReply(reply, Date.now() - sentAtMs));
    }
    return last?.type === 'command.failed' ? EXIT.failed : EXIT.success;
  });
}

/** The data, unchanged: only the worker validates it. */
async function readData(given: string): Promise<string> {
  const isFile = given.startsWith('@');
  const text = isFile || given === '-' ? await readSource(isFile ? given.slice(1) : given) : given;
  const fault = jsonFault(text);
  if (fault !== undefined) throw usageError(`--data ${fault}`);
  return text;
}
