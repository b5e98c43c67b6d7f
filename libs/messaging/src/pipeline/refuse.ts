import { CommandError, type CommandType, type Violation } from '#contracts';
import { validateCommand } from '#contracts/validation';

import { CheckedCommand, type Command, type CommandHandler } from '../command/command.ts';
import type { CallerPolicy } from '../envelope/reply-address.ts';

/** Pointers of violations which mean that the operator of a command cannot be read. */
const OPERATOR_POINTERS = ['/headers', '/headers/operator'];

export interface RefuseOptions {
  /** The client of the platform for an operator; undefined if there is no such operator. */
  readonly clientOf: (operator: string) => unknown;
  readonly callers: Pick<CallerPolicy, 'mayRun'>;
}

/**
 * Checks a command once, and returns it as the steps of its lane take it: type, reply queue, caller,
 * credentials and data are known.
 *
 * @throws CommandError of category `invalid` for the first fault in the order of the checks;
 *   `VALIDATION_FAILED` has all violations, those of properties and headers first
 */
export function refuse(
  command: Command,
  handlers: ReadonlyMap<string, CommandHandler>,
  { clientOf, callers }: RefuseOptions,
): CheckedCommand {
  const { fault, knownType: type, replyTo, operator, caller, violations, data } = command.envelope;
  if (fault) throw fault;
  const handler = type && handlers.get(type);
  if (!type || !handler) throw new CommandError('UNKNOWN_COMMAND');
  if (replyTo.kind === 'none') throw new CommandError('REPLY_TO_MISSING');
  if (replyTo.kind === 'forbidden') throw new CommandError('REPLY_TO_FORBIDDEN');
  const client = clientOf(operator);
  const isOperatorKnown = !violations.some(({ pointer }) => OPERATOR_POINTERS.includes(pointer));
  // This check comes first, so that a caller cannot find out which operators exist.
  if (isOperatorKnown && !callers.mayRun(caller, operator, type)) throw new CommandError('CALLER_FORBIDDEN');
  if (isOperatorKnown && client === undefined) throw new CommandError('UNKNOWN_OPERATOR');
  if (violations.length > 0) {
    throw new CommandError('VALIDATION_FAILED', {
      violations: [...violations, ...violationsOf(type, data)],
    });
  }
  return new CheckedCommand(command, client, validateCommand(type, data), handler);
}

function violationsOf(type: CommandType, data: unknown): readonly Violation[] {
  try {
    validateCommand(type, data);
    return [];
  } catch (error) {
    return (error as CommandError).violations ?? [];
  }
}
