import { randomUUID } from 'node:crypto';

import { type CommandData, type CommandType, isCommandType, LANE_OF_COMMAND } from '@poker-bridge/contracts';

import { CallerError } from '../caller-error.ts';
import type { PlayerCommand, ReportCommand } from '../command.ts';
import type { ReplyDelivery } from '../reply.ts';
import {
  type Answer,
  failedReply,
  Failure,
  playerReply,
  type ReceivedCommand,
  type ReportAnswer,
  reportReplies,
  type ScriptedReply,
  SILENCE,
} from './answers.ts';

type Message = ReplyDelivery['message'];

/** The part of a command message that a script reads. */
export interface CommandMessage {
  readonly properties: Pick<Message['properties'], 'type' | 'messageId' | 'correlationId' | 'headers'>;
  readonly content: Buffer;
}

/** A random mark, which no test data can contain. */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

/**
 * The answers of a scripted worker. Commands without a script succeed with example data, and reports are
 * empty.
 */
export class Script {
  /** All commands sent, oldest first. */
  readonly received: ReceivedCommand[] = [];
  readonly #answers = new Map<CommandType, Answer<never>[]>();

  /** Sets the answers to the next attempts of a command; the last one is repeated. */
  set<T extends CommandType>(type: T, ...answers: readonly [Answer<T>, ...Answer<T>[]]): void {
    this.#answers.set(type, [...answers] as Answer<never>[]);
  }

  /**
   * Records a command and returns the messages that answer it.
   *
   * @throws CallerError if the answer is a CallerError
   */
  repliesTo({ properties, content }: CommandMessage): Promise<Message[]> {
    const { type, messageId, correlationId, headers } = properties as Readonly<Record<string, unknown>>;
    if (!isCommandType(type)) throw new TypeError(`no command has the type ${JSON.stringify(type)}`);
    const id = String(messageId);
    const command: ReceivedCommand = {
      id,
      type,
      data: JSON.parse(content.toString()) as CommandData[typeof type],
      operator: (headers as Readonly<Record<string, string>> | undefined)?.['operator'],
      attempt: 1 + this.received.filter((each) => each.id === id).length,
    };
    this.received.push(command);
    const answers = this.#answers.get(type) ?? [];
    const next = answers.length > 1 ? answers.shift() : answers[0];
    const answer: unknown = typeof next === 'function' ? next(command as never) : (next ?? {});
    if (answer instanceof CallerError) throw answer;
    return Promise.resolve(answer).then((one) =>
      repliesOf(command, one).map((reply, sequence) => messageOf(id, correlationId, sequence, reply)),
    );
  }
}

function repliesOf(command: ReceivedCommand, answer: unknown): ScriptedReply[] {
  if (answer === SILENCE) return [];
  if (answer instanceof Failure) return [failedReply(command, answer)];
  if (LANE_OF_COMMAND[command.type] === 'interactive')
    return [playerReply(command as ReceivedCommand<PlayerCommand>, answer as object)];
  const pages = { pages: [], ...(answer as Partial<ReportAnswer<ReportCommand>>) };
  return reportReplies(command as ReceivedCommand<ReportCommand>, pages);
}

function messageOf(
  id: string,
  correlationId: unknown,
  sequence: number,
  [type, data]: ScriptedReply,
): Message {
  // JSON has no bigint, so it is written as an integer with all digits, like a worker does.
  const marked = JSON.stringify(data, (_name, value: unknown) =>
    typeof value === 'bigint' ? `${MARK}${value}` : value,
  );
  return {
    content: Buffer.from(marked.replaceAll(MARKED, '$1')),
    fields: {},
    properties: {
      type,
      messageId: `${id}:${sequence}`,
      correlationId,
      headers: { 'command-id': id, sequence, final: type !== 'report.page' },
    },
  } as unknown as Message;
}
