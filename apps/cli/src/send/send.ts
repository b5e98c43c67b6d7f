import { randomUUID } from 'node:crypto';

import type { ConsumeMessage } from 'amqplib';
import { type Command, InvalidArgumentError } from 'commander';

import { COMMAND_TYPES, isCommandType, LANE_OF_COMMAND } from '#contracts';
import { COMMANDS } from '#contracts/validation';

import { EXIT } from '../exit.ts';
import { jsonFault, readJson } from '../input.ts';
import { type Options, readDeadline } from '../options.ts';
import { printable } from '../output.ts';
import { readBus } from '../servers.ts';
import { describeCommand, describeReply } from './describe-reply.ts';
import { sendCommand } from './send-command.ts';

const DEADLINE_MS = { interactive: 15_000, reports: 600_000 } as const;
const LONGEST_ID_BYTES = 200;

type SendOptions = Options<'operator' | 'id', 'json', 'deadlineMs'> & { readonly data: string };

export function define(command: Command): void {
  command
    .argument('<TYPE>', 'the command, one of those below')
    .requiredOption('--data <JSON>', "the command's data: JSON, @FILE, or - for standard input")
    .option('--operator <NAME>', 'the operator whose credentials the worker uses (default: default)')
    .option('--id <ID>', 'the identity: the same id is the same command (default: a new one)', readId)
    .option(
      '--deadline-ms <MS>',
      'how long to wait for the reply, from now (default: 15000, reports 600000)',
      readDeadline,
    )
    .option('--json', 'one object a line: {type, messageId, correlationId, headers, body}')
    .addHelpText('after', sendHelp())
    .action(send);
}

/**
 * Sends one command and prints its replies. A type that is not known here is sent, too: a worker of another version may
 * know it, and every worker answers.
 *
 * @throws ExitError if the data is not JSON, and like `sendCommand`
 */
async function send(type: string, options: SendOptions): Promise<void> {
  const { id = randomUUID(), operator, json = false } = options;
  // Only the worker validates it.
  const text = await readJson('--data', options.data);
  if (!isCommandType(type)) {
    process.stderr.write(
      `${printable(type)} is not a command of this version; there are ${COMMAND_TYPES.join(', ')}\n`,
    );
  }
  const lane = isCommandType(type) ? LANE_OF_COMMAND[type] : 'interactive';
  const { deadlineMs = DEADLINE_MS[lane] } = options;
  const bus = readBus();
  if (!json) process.stdout.write(describeCommand({ type, id, text }));
  const sentAtMs = Date.now();
  await sendCommand(bus, { type, text, id, operator, deadlineMs }, (reply) => {
    const replyType = String(reply.properties.type);
    const body = reply.content.toString();
    if (replyType === 'command.failed') process.exitCode = EXIT.failed;
    const afterMs = Date.now() - sentAtMs;
    process.stdout.write(json ? replyLine(reply, body) : describeReply(replyType, body, afterMs));
  });
}

/** A reply as one line of JSON, its body digit for digit as it was received. */
function replyLine({ properties }: ConsumeMessage, text: string): string {
  const { type, messageId, correlationId, headers } = properties as Record<keyof typeof properties, unknown>;
  // Between the tokens of JSON a line break is white space; within a string it is always escaped.
  const body = jsonFault(text) === undefined ? text.trim().replace(/[\r\n]+/g, ' ') : JSON.stringify(text);
  const envelope = JSON.stringify({ type, messageId, correlationId, headers });
  return `${envelope.slice(0, -1)},"body":${body}}\n`;
}

function readId(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes >= 1 && bytes <= LONGEST_ID_BYTES) return text;
  throw new InvalidArgumentError(`It must have 1 to ${LONGEST_ID_BYTES} bytes.`);
}

export function sendHelp(): string {
  const width = Math.max(...COMMANDS.map(({ type }) => type.length));
  const types = COMMANDS.map(({ type, summary }) => `  ${type.padEnd(width)}  ${summary}`);
  const examples = COMMANDS.map(
    ({ type, examples: [example] }) =>
      `  $ poker-bridge send ${type} \\\n      --data '${JSON.stringify(example?.data)}'`,
  );
  return `
TYPE is one of:
${types.join('\n')}
docs/messages.md lists the members of each.

Examples:
${examples.join('\n')}
  $ poker-bridge send game.open --data @table.json --operator casino
  $ echo '{"player":{"id":"alice"}}' | poker-bridge send game.open --data - --deadline-ms 3000`;
}
