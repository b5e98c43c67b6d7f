import { CommandError, type CommandType } from '#contracts';
import { validateCommand } from '#contracts/validation';

/** What a worker of this version would refuse in the data of a command, each as a pointer and why; no value is quoted. */
export function commandFaults(type: CommandType, data: unknown): string[] {
  try {
    validateCommand(type, data);
    return [];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return error.violations?.map(({ pointer, message }) => `${pointer} ${message}`) ?? [error.message];
  }
}
