import type { ConsumeMessage } from 'amqplib';

import { busNames, isCommandType, LANE_OF_COMMAND } from '#contracts';
import {
  type BriefConnection,
  ConfirmedPublisher,
  countsOf,
  type PublishOutcome,
  PublishRefusedError,
  within,
} from '#rabbitmq';

import { EXIT, ExitError } from '../exit.ts';
import { ANSWER_TIMEOUT_MS, type Bus, openForCommands } from '../servers.ts';

/** Replies that are held at once; each may be a page of a report. */
const PREFETCH = 8;
/** A command that a worker has taken is answered by its deadline and one second; the rest is for the way. */
const ANSWER_SLACK_MS = 1_500;
const REFUSALS: Readonly<Record<Exclude<PublishOutcome, 'confirmed'>, string>> = {
  returned: 'The broker has no queue for the command.',
  refused: 'The broker refuses the command: its queue is full.',
  unanswered: 'No answer came: the broker has not confirmed the command.',
};

export interface BusCommand {
  readonly type: string;
  /** JSON, sent unchanged. */
  readonly text: string;
  readonly id: string;
  readonly operator?: string | undefined;
  /** From now. */
  readonly deadlineMs: number;
}

/**
 * Sends one command and waits for its final reply. Replies come to a queue that ends with the connection.
 *
 * @param onReply called with each reply in sequence, once
 * @throws ExitError past the deadline, or if the command is not taken; BrokerError, PublishRefusedError
 */
export async function sendCommand(
  bus: Bus,
  command: BusCommand,
  onReply: (reply: ConsumeMessage) => void,
): Promise<void> {
  await using connection = await openForCommands(bus);
  const { model } = connection;
  const { promise: answered, resolve, reject } = Promise.withResolvers<void>();
  // It may fail before it is awaited.
  answered.catch(() => undefined);
  const publisher = new ConfirmedPublisher();
  model.on('close', () => {
    reject(noAnswer(': the connection to the broker was lost.'));
    publisher.close();
  });
  const late = async (): Promise<void> => reject(await lateAnswer(connection, bus, command));
  const timer = setTimeout(() => void late(), command.deadlineMs + ANSWER_SLACK_MS);
  const prepare = async (): Promise<string> => {
    const channel = await model.createChannel();
    channel.on('error', () => undefined);
    const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true });
    await channel.prefetch(PREFETCH);
    let lastSequence = -1;
    await channel.consume(queue, (message) => {
      if (!message) return reject(noAnswer(': the broker has deleted the reply queue.'));
      const { sequence, final } = message.properties.headers ?? {};
      // What a redelivery repeats is dropped.
      if (Number(sequence) > lastSequence) onReply(message);
      lastSequence = Math.max(lastSequence, Number(sequence));
      if (final === true) resolve();
      else channel.ack(message);
    });
    await publisher.attach(model);
    return queue;
  };
  try {
    const replyTo = await within(ANSWER_TIMEOUT_MS, 'the preparation of a reply queue', prepare());
    // A broker under an alarm confirms nothing: the deadline covers that wait, too.
    publish(publisher, connection.user, bus, command, replyTo).catch(reject);
    await answered;
  } catch (error) {
    const isExplained = error instanceof ExitError || error instanceof PublishRefusedError;
    throw isExplained && !connection.isBlocked ? error : connection.faultOf(error);
  } finally {
    clearTimeout(timer);
    publisher.close();
  }
}

async function publish(
  publisher: ConfirmedPublisher,
  userId: string,
  { prefix }: Bus,
  { type, text, id, operator, deadlineMs }: BusCommand,
  replyTo: string,
): Promise<void> {
  const nowMs = Date.now();
  const outcome = await publisher.publish({
    exchange: busNames(prefix).commands,
    routingKey: type,
    content: Buffer.from(text),
    mandatory: true,
    properties: {
      type,
      messageId: id,
      correlationId: id,
      replyTo,
      contentType: 'application/json',
      userId,
      appId: 'poker-bridge-cli',
      timestamp: Math.floor(nowMs / 1_000),
      headers: {
        'x-deadline': new Date(nowMs + deadlineMs).toISOString(),
        ...(operator !== undefined && { operator }),
      },
    },
  });
  if (outcome !== 'confirmed') throw new ExitError(EXIT.noAnswer, REFUSALS[outcome]);
}

function noAnswer(why: string): ExitError {
  return new ExitError(EXIT.noAnswer, `No answer came${why}`);
}

async function lateAnswer(
  { model }: BriefConnection,
  { prefix }: Bus,
  { type, deadlineMs }: BusCommand,
): Promise<ExitError> {
  const lane = busNames(prefix).lanes[isCommandType(type) ? LANE_OF_COMMAND[type] : 'interactive'];
  const counts = await countsOf(model, lane).catch(() => undefined);
  const hint = counts?.consumerCount === 0 ? ` No worker serves ${lane}.` : '';
  return noAnswer(` within ${deadlineMs} ms.${hint}`);
}
