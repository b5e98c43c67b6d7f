import { CommandError } from '#contracts';

import type { CallerPolicy } from '../../envelope/caller-policy.ts';
import type { Step } from '../step.ts';

/** @throws CommandError `UNKNOWN_OPERATOR` if there are no credentials to run a command with, `CALLER_FORBIDDEN` if they are for others */
export const authorize =
  (hasOperator: (name: string) => boolean, callers: CallerPolicy): Step =>
  (command, next) => {
    const { caller, operator, type, violations } = command.envelope;
    const isReadable = !violations.some(({ pointer }) => pointer === '/headers/operator');
    if (isReadable && !hasOperator(operator)) throw new CommandError('UNKNOWN_OPERATOR');
    if (!callers.mayRun(caller, operator, type)) throw new CommandError('CALLER_FORBIDDEN');
    return next(command);
  };
