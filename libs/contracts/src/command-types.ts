/** The lanes that a worker serves, each a queue of its own. Source: bus contract, section 1. */
export const LANES = ['interactive', 'reports'] as const;
export type Lane = (typeof LANES)[number];

/** Each command type with the lane that it travels in. Source: bus contract, section 1. */
export const LANE_OF_COMMAND = {
  'session.create': 'interactive',
  'game.open': 'interactive',
  'report.ad-hoc.fetch': 'reports',
  'report.rake.fetch': 'reports',
} as const satisfies Record<string, Lane>;

export type CommandType = keyof typeof LANE_OF_COMMAND;

export const COMMAND_TYPES = Object.keys(LANE_OF_COMMAND) as readonly CommandType[];

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
