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

/** Whether `type` names a command of this contract; own names only, so `constructor` is none. */
export function isCommandType(type: unknown): type is CommandType {
  return typeof type === 'string' && Object.hasOwn(LANE_OF_COMMAND, type);
}

/** The one version of the messages that exists so far. */
export const SCHEMA_VERSION = 1;
