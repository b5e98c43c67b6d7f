import { COMMANDS } from './commands/commands.ts';

type Command = (typeof COMMANDS)[number];

export type CommandType = Command['type'];

export const COMMAND_TYPES: readonly CommandType[] = COMMANDS.map(({ type }) => type);

/** The lane of each command type. Source: bus contract, section 1. */
export const LANE_OF_COMMAND = Object.fromEntries(COMMANDS.map(({ type, lane }) => [type, lane])) as {
  readonly [C in Command as C['type']]: C['lane'];
};

const TYPE_OF_NAME: ReadonlyMap<unknown, CommandType> = new Map(COMMAND_TYPES.map((type) => [type, type]));

/** Whether `type` names a command of this contract. */
export function isCommandType(type: unknown): type is CommandType {
  return TYPE_OF_NAME.has(type);
}

/**
 * The command type that a text names, if any. The result is the string constant of this module, which is interned: map
 * look-ups by it are faster than by a string that was just read.
 */
export function commandTypeOf(name: string): CommandType | undefined {
  return TYPE_OF_NAME.get(name);
}

/** The only version of the messages so far. */
export const SCHEMA_VERSION = 1;
