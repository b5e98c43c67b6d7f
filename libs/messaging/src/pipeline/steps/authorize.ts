import { CommandError } from '#contracts';

import type { Step } from '../step.ts';

/** @throws CommandError `UNKNOWN_OPERATOR` if there are no credentials to run a command with */
export const authorize =
  (hasOperator: (name: string) => boolean): Step =>
  (command, next) => {
    const { operator, violations } = command.envelope;
    const isReadable = !violations.some(({ pointer }) => pointer === '/headers/operator');
    if (isReadable && !hasOperator(operator)) throw new CommandError('UNKNOWN_OPERATOR');
    return next(command);
  };
