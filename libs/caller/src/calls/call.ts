import type { CommandData } from '@poker-bridge/contracts';
import type { COMMANDS } from '@poker-bridge/contracts/validation';

import { CallerError } from '../errors/caller-error.ts';
import type { BusReply } from '../replies/reply.ts';
import { Attempts, type Bus } from './attempts.ts';
import { type CallOptions, prepareCommand } from './prepare-command.ts';

const DEADLINE_MS = 15_000;

type Command = (typeof COMMANDS)[number];

/** A command that a player waits for: it has one reply. */
export type PlayerCommand = Extract<Command, { lane: 'interactive' }>['type'];

/** The data of the reply to a command. */
export type ReplyTo<T extends PlayerCommand> = InstanceType<
  Extract<Command, { type: T }>['replies'][number]['data']
>;

const REPLY_TYPES = {
  'session.create': 'session.created',
  'game.open': 'game.opened',
} as const satisfies Record<PlayerCommand, string>;

/**
 * Sends one command, again while that can help, and waits for its reply.
 *
 * @throws CallerError as the worker answers, or as this library finds; the reason of the option `signal`
 */
export async function call<T extends PlayerCommand>(
  bus: Bus,
  type: T,
  data: CommandData[T],
  options: CallOptions = {},
): Promise<ReplyTo<T>> {
  const { deadlineMs = DEADLINE_MS, signal } = options;
  const command = prepareCommand(bus.sender, '', type, data, { ...options, deadlineMs });
  const awaited = bus.replies.expect(command.id);
  const attempts = new Attempts(bus, command, deadlineMs, signal);
  const { limit } = attempts;
  try {
    for (;;) {
      try {
        await attempts.publish(await bus.replyQueue.ready(limit.signal));
        return dataOf(type, await awaited.next(limit.signal));
      } catch (error) {
        await attempts.pauseAfter(error);
      }
    }
  } finally {
    awaited.end();
    limit.end();
  }
}

function dataOf<T extends PlayerCommand>(type: T, reply: BusReply): ReplyTo<T> {
  if (reply.type === 'command.failed') throw CallerError.ofReply(reply.data);
  if (reply.type !== REPLY_TYPES[type]) throw CallerError.of('REPLY_UNREADABLE', reply.commandId);
  return reply.data as ReplyTo<T>;
}
