import { CommandError } from '#contracts';

import type { Step } from '../step.ts';

/** @throws CommandError `UNKNOWN_COMMAND` if no handler stands under the type */
export const checkType =
  (handlers: ReadonlyMap<string, unknown>): Step =>
  (command, next) => {
    if (!handlers.has(command.envelope.type)) throw new CommandError('UNKNOWN_COMMAND');
    return next(command);
  };
