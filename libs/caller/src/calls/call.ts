import type { CommandData, ReplyTo as ReplyOf } from '@poker-bridge/contracts';

import { CallerError } from '../errors/caller-error.ts';
import { Attempts, type Bus } from './attempts.ts';
import { type CallOptions, type PlayerCommand, prepareCommand } from './prepare-command.ts';

const DEADLINE_MS = 15_000;

/** The data of the reply to a command. */
export type ReplyTo<T extends PlayerCommand> = ReplyOf<T>['data'];

const REPLY_TYPES = {
  'session.create': 'session.created',
  'game.open': 'game.opened',
} as const satisfies { [T in PlayerCommand]: ReplyOf<T>['type'] };

/**
 * Sends one command, again while that can help, and waits for its reply.
 *
 * @throws CallerError as the worker answers, or as this library finds; the reason of the option `signal`
 */
export async function call<T extends PlayerCommand>(
  bus: Bus,
  type: T,
  data: CommandData[T],
  { deadlineMs = DEADLINE_MS, ...options }: CallOptions = {},
): Promise<ReplyTo<T>> {
  const command = prepareCommand(bus.sender, '', type, data, { ...options, deadlineMs });
  const awaited = bus.replies.expect(command.id);
  const attempts = new Attempts(bus, command, deadlineMs, options.signal);
  const { signal } = attempts.limit;
  try {
    for (;;) {
      try {
        await attempts.publish(await bus.replyQueue.ready(signal));
        const reply = await awaited.next(signal);
        if (reply.type === 'command.failed') throw CallerError.ofReply(reply.data);
        if (reply.type !== REPLY_TYPES[type]) throw CallerError.of('REPLY_UNREADABLE', reply.commandId);
        return reply.data as ReplyTo<T>;
      } catch (error) {
        await attempts.pauseAfter(error);
      }
    }
  } finally {
    awaited.end();
    attempts.limit.end();
  }
}
