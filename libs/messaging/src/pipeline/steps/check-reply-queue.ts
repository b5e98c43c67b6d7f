import { CommandError } from '#contracts';

import type { Step } from '../step.ts';

/** @throws CommandError `REPLY_TO_MISSING`, or `REPLY_TO_FORBIDDEN` for a queue that the caller may not name */
export const checkReplyQueue: Step = (command, next) => {
  const { kind } = command.envelope.replyTo;
  if (kind === 'none') throw new CommandError('REPLY_TO_MISSING');
  if (kind === 'forbidden') throw new CommandError('REPLY_TO_FORBIDDEN');
  return next(command);
};
