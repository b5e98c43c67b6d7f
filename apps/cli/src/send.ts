import { randomUUID } from 'node:crypto';

import type { ConsumeMessage } from 'amqplib';
import { type Command, InvalidArgumentError } from 'commander';

import { busNames, isCommandType, LANE_OF_COMMAND } from '#contracts';
import { COMMANDS } from '#contracts/validation';
import {
  OneShotConnection,
  ConfirmedPublisher,
  countsOf,
  NOT_FOUND,
  PublishRefusedError,
  within,
} from '#rabbitmq';

import { unknownType } from './command-faults.ts';
import { EXIT, ExitError } from './exit.ts';
import { jsonOr, type Options, readDeadline, readJson } from './input.ts';
import { alignedLines, describeCommand, describeReply, printable } from './output.ts';
import { type BusSettings, readBus } from './servers.ts';

const DEADLINE_MS = { interactive: 15_000, reports: 600_000 } as const;
/** A worker answers no later than a second after the deadline; the rest is for the network. */
const ANSWER_SLACK_MS = 1_500;
/** How long the broker may take to set up the reply queue. */
const ANSWER_TIMEOUT_MS = 5_000;
/** Prefetched replies. Each may be a page of a report. */
const PREFETCH = 8;
const LONGEST_ID_BYTES = 200;
const REFUSALS = {
  returned: 'The broker has no queue for the command: start a worker, which declares it.',
  refused: 'The broker refuses the command, because its queue is full: send it again later.',
};
const noExchange = (name: string): string =>
  `The broker has no exchange ${name}: start a worker, or check AMQP_PREFIX and the virtual host in AMQP_URL.`;

type SendOptions = Options<'operator' | 'id', 'json', 'deadlineMs'> & { readonly data: string };

type BusCommand = Awaited<ReturnType<typeof readCommand>>;

export function define(command: Command): void {
  command
    .argument('<TYPE>', 'the command, one of those below')
    .requiredOption('--data <JSON>', "the command's data: JSON, @FILE, or - for standard input")
    .option('--operator <NAME>', 'the operator whose credentials the worker uses (default: default)')
    .option('--id <ID>', 'the identity: the same id is the same command (default: a new one)', readId)
    .option('--deadline-ms <MS>', 'how long to wait (default: 15000, reports 600000)', readDeadline)
    .option('--json', 'one object a line: {type, messageId, correlationId, headers, body}')
    .addHelpText('after', sendHelp())
    .action(send);
}

function readId(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes >= 1 && bytes <= LONGEST_ID_BYTES) return text;
  throw new InvalidArgumentError(`It must have 1 to ${LONGEST_ID_BYTES} bytes.`);
}

export function sendHelp(): string {
  const types = alignedLines(COMMANDS.map(({ type, summary }) => ['', type, summary]));
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

async function send(type: string, options: SendOptions): Promise<void> {
  const { json = false } = options;
  const command = await readCommand(type, options);
  const bus = readBus();
  if (!json) process.stdout.write(describeCommand(command));
  const sentAtMs = Date.now();
  await sendCommand(bus, command, (reply) => {
    const replyType = String(reply.properties.type);
    const body = reply.content.toString();
    if (replyType === 'command.failed') process.exitCode = EXIT.failed;
    const afterMs = Date.now() - sentAtMs;
    process.stdout.write(json ? replyLine(reply, body) : describeReply(replyType, body, afterMs));
  });
}

/** A command to send: `text` is JSON, unchanged, and the deadline starts when it is sent. */
async function readCommand(type: string, { id = randomUUID(), operator, data, deadlineMs }: SendOptions) {
  // The worker validates the data.
  const text = await readJson('--data', data);
  // A worker of another version may know the type, and every worker replies.
  if (!isCommandType(type)) process.stderr.write(`${unknownType(type)}; it is sent all the same\n`);
  const lane = isCommandType(type) ? LANE_OF_COMMAND[type] : 'interactive';
  return { type, lane, text, id, operator, deadlineMs: deadlineMs ?? DEADLINE_MS[lane] };
}

function replyLine({ properties }: ConsumeMessage, text: string): string {
  const { type, messageId, correlationId, headers } = properties as Record<keyof typeof properties, unknown>;
  const isJson = jsonOr(undefined, text) !== undefined;
  // Between tokens of JSON these characters are white space; in a string they are always escaped.
  const body = isJson ? text.trim().replace(/[\r\n\t]+/g, ' ') : JSON.stringify(text);
  const envelope = JSON.stringify({ type, messageId, correlationId, headers });
  return `${printable(`${envelope.slice(0, -1)},"body":${body}}`)}\n`;
}

/**
 * Sends a command and waits for its final reply. Replies arrive at an exclusive queue, and are printed once,
 * in sequence.
 *
 * @throws ExitError past the deadline, or if the command is not accepted; BrokerError, PublishRefusedError
 */
async function sendCommand(
  { urls, prefix, tls }: BusSettings,
  { type, lane, text, id, operator, deadlineMs }: BusCommand,
  onReply: (reply: ConsumeMessage) => void,
): Promise<void> {
  await using connection = await OneShotConnection.open(urls, { name: 'poker-bridge', tls });
  const { model, user } = connection;
  const { commands, lanes } = busNames(prefix);
  const { promise: answered, resolve, reject } = Promise.withResolvers<void>();
  // The promise may reject before it is awaited.
  answered.catch(() => undefined);
  const fail = (message: string): void => reject(new ExitError(EXIT.noAnswer, message));
  const again = `send it again with --id ${printable(id)}, and it is run once.`;
  const noAnswer = (why: string): void =>
    fail(`No answer came${why} The command may be run all the same: ${again}`);
  const publisher = new ConfirmedPublisher();
  model.on('close', () => {
    noAnswer(': the connection to the broker was lost.');
    publisher.close();
  });
  const giveUp = async (): Promise<void> => {
    const counts = await countsOf(model, lanes[lane]).catch(() => undefined);
    const hint =
      counts?.consumerCount === 0
        ? `No worker serves ${lanes[lane]}.`
        : 'If a worker refused to answer, poker-bridge dead-letters list says why.';
    noAnswer(` within ${deadlineMs} ms. ${hint}`);
  };
  const timer = setTimeout(() => void giveUp(), deadlineMs + ANSWER_SLACK_MS);
  const openReplyQueue = async (): Promise<string> => {
    const channel = await model.createChannel();
    channel.on('error', () => undefined);
    const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true });
    await channel.prefetch(PREFETCH);
    let lastSequence = -1;
    await channel.consume(queue, (message) => {
      if (!message) return noAnswer(': the broker has deleted the reply queue.');
      const { sequence, final } = message.properties.headers ?? {};
      // Repeated replies of a redelivered command are dropped.
      if (Number(sequence) > lastSequence) onReply(message);
      lastSequence = Math.max(lastSequence, Number(sequence));
      if (final === true) resolve();
      else channel.ack(message);
    });
    await publisher.attach(model);
    return queue;
  };
  const publish = async (replyTo: string): Promise<void> => {
    const nowMs = Date.now();
    const deadline = new Date(nowMs + deadlineMs).toISOString();
    const properties = {
      type,
      messageId: id,
      correlationId: id,
      replyTo,
      contentType: 'application/json',
      userId: user,
      appId: 'poker-bridge-cli',
      timestamp: Math.floor(nowMs / 1_000),
      headers: { 'x-deadline': deadline, ...(operator !== undefined && { operator }) },
    };
    const content = Buffer.from(text);
    const message = { exchange: commands, routingKey: type, content, mandatory: true, properties };
    const outcome = await publisher.publish(message);
    if (outcome === 'unanswered') noAnswer(': the broker has not confirmed the command.');
    else if (outcome !== 'confirmed') fail(REFUSALS[outcome]);
  };
  try {
    const replyTo = await within(ANSWER_TIMEOUT_MS, 'the preparation of a reply queue', openReplyQueue());
    // A broker with an alarm confirms nothing; the deadline covers that wait, too.
    publish(replyTo).catch(reject);
    await answered;
  } catch (error) {
    const isRefused = error instanceof PublishRefusedError;
    if (isRefused && error.code === NOT_FOUND) throw new ExitError(EXIT.noAnswer, noExchange(commands));
    if ((isRefused || error instanceof ExitError) && !connection.isBlocked) throw error;
    throw connection.faultOf(error);
  } finally {
    clearTimeout(timer);
    publisher.close();
  }
}
