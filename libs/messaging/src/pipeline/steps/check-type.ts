import { CommandError, isCommandType } from '#contracts';

import type { Step } from '../step.ts';

/** @throws CommandError `UNKNOWN_COMMAND` if there is no such command, or no handler of it */
export const checkType =
  (handlers: ReadonlyMap<string, unknown>): Step =>
  (command, next) => {
    const { type } = command.envelope;
    if (!isCommandType(type) || !handlers.has(type)) throw new CommandError('UNKNOWN_COMMAND');
    return next(command);
  };
