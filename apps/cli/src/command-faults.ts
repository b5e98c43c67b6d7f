import { COMMAND_TYPES, CommandError, isCommandType } from '#contracts';
import { validateCommand } from '#contracts/validation';

import { printable } from './output.ts';

/**
 * Validates the data of a command as a worker does.
 *
 * @returns each fault as pointer and reason, without the value
 */
export function commandFaults(type: string, data: unknown): string[] {
  if (!isCommandType(type)) return [];
  try {
    validateCommand(type, data);
    return [];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return error.violations?.map(({ pointer, message }) => `${pointer} ${message}`) ?? [error.message];
  }
}

export function unknownType(type: string): string {
  return `${printable(type)} is not a command of this version, which has ${COMMAND_TYPES.join(', ')}`;
}
