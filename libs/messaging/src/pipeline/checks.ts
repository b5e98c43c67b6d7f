import { CommandError, isCommandType, validateCommand } from '#contracts';

import type { CommandInHand } from './command-in-hand.ts';

/** What the checks ask the rest of the service. */
export interface Known {
  readonly handlers: ReadonlyMap<string, unknown>;
  readonly hasOperator: (name: string) => boolean;
}

/**
 * Everything that can be wrong with a command before anything is done for it, in this order; the first fault is the
 * answer. The last of them returns the data as an instance of its class.
 *
 * @throws CommandError of category `invalid`
 */
export function checkCommand(command: CommandInHand, known: Known): object {
  refuseUnreadable(command);
  refuseUnknownType(command, known);
  refuseUnanswerable(command);
  refuseUnknownOperator(command, known);
  return refuseInvalid(command);
}

function refuseUnreadable({ envelope }: CommandInHand): void {
  if (envelope.fault) throw envelope.fault;
}

function refuseUnknownType({ envelope }: CommandInHand, { handlers }: Known): void {
  if (!handlers.has(envelope.type)) throw new CommandError('UNKNOWN_COMMAND');
}

function refuseUnanswerable({ envelope }: CommandInHand): void {
  if (envelope.replyTo.kind === 'none') throw new CommandError('REPLY_TO_MISSING');
  if (envelope.replyTo.kind === 'forbidden') throw new CommandError('REPLY_TO_FORBIDDEN');
}

function refuseUnknownOperator({ envelope }: CommandInHand, { hasOperator }: Known): void {
  const isReadable = !envelope.violations.some(({ pointer }) => pointer === '/headers/operator');
  if (isReadable && !hasOperator(envelope.operator)) throw new CommandError('UNKNOWN_OPERATOR');
}

function refuseInvalid({ envelope: { type, data, violations } }: CommandInHand): object {
  if (!isCommandType(type)) throw new CommandError('UNKNOWN_COMMAND');
  if (violations.length === 0) return validateCommand(type, data);
  const inData = violationsOf(() => validateCommand(type, data));
  throw new CommandError('VALIDATION_FAILED', { violations: [...violations, ...inData] });
}

function violationsOf(validate: () => unknown): NonNullable<CommandError['violations']> {
  try {
    validate();
    return [];
  } catch (error) {
    return (error as CommandError).violations ?? [];
  }
}
