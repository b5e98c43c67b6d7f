import type { Reply } from '#contracts';
import { DeadlineExceeded } from '#resilience';

import type { Command } from '../../command/command.ts';
import type { CommandContext } from '../../command/command-context.ts';
import type { ReplySender } from '../../replies/reply-sender.ts';
import type { Settlement } from '../settlement.ts';
import type { Step } from '../step.ts';
import { finalReply, isFinalReply } from './final-reply.ts';

/** Runs the handler of a valid command, and gives what Nest made of its result. */
export type CommandHandler = (data: unknown, command: CommandContext) => Promise<unknown>;

/** Runs the handler, sends its pages as they come, and answers with its final reply. */
export const invoke =
  (handlers: ReadonlyMap<string, CommandHandler>, replies: ReplySender): Step =>
  (command) => {
    const handler = handlers.get(command.envelope.type);
    if (!handler) throw new Error('the type was not checked');
    return handler(command.data, command.run).then((produced) =>
      isFinalReply(produced) ? { kind: 'answer', reply: produced } : sendAll(command, produced, replies),
    );
  };

async function sendAll(command: Command, produced: unknown, replies: ReplySender): Promise<Settlement> {
  return { kind: 'answer', reply: await finalReply(produced, (page) => send(command, page, replies)) };
}

function send(command: Command, page: Reply, replies: ReplySender): Promise<void> {
  // The final reply was sent at the deadline; nothing may follow it.
  if (command.deadline.expired) throw new DeadlineExceeded();
  command.run.sending = replies.sendPage(command, page);
  return command.run.sending;
}
