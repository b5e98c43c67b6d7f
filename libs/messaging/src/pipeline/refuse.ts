import { CommandError, type CommandType, isCommandType, type Violation } from '#contracts';
import { validateCommand } from '#contracts/validation';

import { CommandContext } from '../command/command-context.ts';
import type { CheckedCommand, Command, CommandHandler } from '../command/command.ts';
import type { CallerPolicy } from '../envelope/envelope.ts';
import type { Settlement } from '../command/settlement.ts';
import type { Next } from './step.ts';

export interface RefuseOptions {
  /** By command type. */
  readonly handlers: ReadonlyMap<string, CommandHandler>;
  /** The client with the credentials of an operator; undefined if there are none under that name. */
  readonly clientOf: (operator: string) => unknown;
  readonly callers: CallerPolicy;
}

/** Where a violation says that the operator of a command cannot be read. */
const OPERATOR_POINTERS = ['/headers', '/headers/operator'];

/** The context of a checked command. */
class CheckedContext extends CommandContext {
  readonly id: string;
  readonly caller: string;
  readonly operator: string;
  readonly client: unknown;
  readonly deadline: Command['deadline'];
  readonly traceContext: CommandContext['traceContext'];

  constructor({ envelope, deadline, trace }: Command, client: unknown) {
    super();
    this.id = envelope.id;
    this.caller = envelope.caller;
    this.operator = envelope.operator;
    this.client = client;
    this.deadline = deadline;
    this.traceContext = trace?.context;
  }
}

/**
 * Checks a command once: what follows is given a command whose type, reply queue, caller, credentials and data are known.
 *
 * @throws CommandError of category `invalid`, the first fault in the order of the checks; `VALIDATION_FAILED` has all
 *   violations, those of properties and headers first
 */
export function refuse(options: RefuseOptions, next: Next): (command: Command) => Promise<Settlement> {
  return (command) => next(checked(command, options));
}

function checked(command: Command, { handlers, clientOf, callers }: RefuseOptions): CheckedCommand {
  const { fault, type, replyTo, operator, caller, violations, data } = command.envelope;
  if (fault) throw fault;
  const handler = handlers.get(type);
  if (!isCommandType(type) || !handler) throw new CommandError('UNKNOWN_COMMAND');
  if (replyTo.kind === 'none') throw new CommandError('REPLY_TO_MISSING');
  if (replyTo.kind === 'forbidden') throw new CommandError('REPLY_TO_FORBIDDEN');
  const client = clientOf(operator);
  const isOperatorKnown = !violations.some(({ pointer }) => OPERATOR_POINTERS.includes(pointer));
  // Before it is said whether there is such an operator, so that a caller cannot find out which names there are.
  if (isOperatorKnown && !callers.mayRun(caller, operator, type)) throw new CommandError('CALLER_FORBIDDEN');
  if (isOperatorKnown && client === undefined) throw new CommandError('UNKNOWN_OPERATOR');
  if (violations.length > 0) {
    throw new CommandError('VALIDATION_FAILED', {
      violations: [...violations, ...violationsOf(type, data)],
    });
  }
  return command.accept(new CheckedContext(command, client), validateCommand(type, data), handler);
}

function violationsOf(type: CommandType, data: unknown): readonly Violation[] {
  try {
    validateCommand(type, data);
    return [];
  } catch (error) {
    return (error as CommandError).violations ?? [];
  }
}
