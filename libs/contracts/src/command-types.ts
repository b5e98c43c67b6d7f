import { COMMANDS } from './commands/commands.ts';

type Command = (typeof COMMANDS)[number];

export type CommandType = Command['type'];

export const COMMAND_TYPES: readonly CommandType[] = COMMANDS.map(({ type }) => type);

/** Each command type with the lane that it travels in. Source: bus contract, section 1. */
export const LANE_OF_COMMAND = Object.fromEntries(COMMANDS.map(({ type, lane }) => [type, lane])) as {
  readonly [C in Command as C['type']]: C['lane'];
};

const TYPE_OF_NAME: ReadonlyMap<unknown, CommandType> = new Map(COMMAND_TYPES.map((type) => [type, type]));

/** Whether `type` names a command of this contract. */
export function isCommandType(type: unknown): type is CommandType {
  return TYPE_OF_NAME.has(type);
}

/**
 * The command type that a text names, if any. It is the very text of this module: whatever is looked up by it is found
 * at once, where a text that was just read would first be looked for among all that there are.
 */
export function commandTypeOf(name: string): CommandType | undefined {
  return TYPE_OF_NAME.get(name);
}

/** The one version of the messages that exists so far. */
export const SCHEMA_VERSION = 1;
