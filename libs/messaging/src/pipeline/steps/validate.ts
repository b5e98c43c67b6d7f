import { CommandError, type CommandType, isCommandType, validateCommand, type Violation } from '#contracts';

import type { Step } from '../step.ts';

/**
 * Hands on the data as an instance of its class.
 *
 * @throws CommandError `VALIDATION_FAILED` with all violations, those of properties and headers first
 */
export const validate: Step = (command, next) => {
  const { type, violations } = command.envelope;
  if (!isCommandType(type)) throw new Error('the type was not checked');
  if (violations.length > 0) {
    const all = [...violations, ...violationsOf(type, command.data)];
    throw new CommandError('VALIDATION_FAILED', { violations: all });
  }
  return next({ ...command, data: validateCommand(type, command.data) });
};

function violationsOf(type: CommandType, data: unknown): readonly Violation[] {
  try {
    validateCommand(type, data);
    return [];
  } catch (error) {
    return (error as CommandError).violations ?? [];
  }
}
