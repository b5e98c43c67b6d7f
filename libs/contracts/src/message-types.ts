/** The lanes that a worker serves, each a queue of its own. Source: bus contract, section 1. */
export const LANES = ['interactive', 'reports'] as const;

export type Lane = (typeof LANES)[number];

/**
 * Every command and its lane, in the order of the documents. The lane decides the policies: a command on `interactive` is
 * run once for each identity, one on `reports` is a read. Source: bus contract, section 1.
 */
export const LANE_OF_COMMAND = {
  'session.create': 'interactive',
  'game.open': 'interactive',
  'report.ad-hoc.fetch': 'reports',
  'report.rake.fetch': 'reports',
} as const satisfies Readonly<Record<string, Lane>>;

export type CommandType = keyof typeof LANE_OF_COMMAND;
export const COMMAND_TYPES = Object.keys(LANE_OF_COMMAND) as readonly CommandType[];

/** Every reply, and whether it ends its command. Source: bus contract, section 3. */
const IS_FINAL = {
  'session.created': true,
  'game.opened': true,
  'report.page': false,
  'report.completed': true,
  'command.failed': true,
} as const satisfies Readonly<Record<string, boolean>>;

export type ReplyType = keyof typeof IS_FINAL;

const FINAL_BY_TYPE: ReadonlyMap<unknown, boolean> = new Map(Object.entries(IS_FINAL));
const TYPE_OF_NAME: ReadonlyMap<unknown, CommandType> = new Map(COMMAND_TYPES.map((type) => [type, type]));

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

/** Whether a reply of this type is final; false for a type that is no reply. */
export function isFinalReplyType(type: unknown): type is ReplyType {
  return FINAL_BY_TYPE.get(type) === true;
}

/** The longest that anyone may wait for a command, from its receipt. Source: bus contract, section 2. */
export const LONGEST_DEADLINE_MS = 20 * 60 * 1000;
/** The longest identity of a command, in UTF-8. Source: bus contract, section 2. */
export const MAX_ID_BYTES = 200;

/** The only version of the messages so far. */
export const SCHEMA_VERSION = 1;

export type BusNames = Readonly<ReturnType<typeof busNames>>;

/** The name of every exchange and queue under a prefix (setting `AMQP_PREFIX`). Source: bus contract, section 1. */
export function busNames(prefix = 'poker') {
  const lanes = Object.fromEntries(LANES.map((lane) => [lane, `${prefix}.${lane}`])) as Record<Lane, string>;
  return {
    /** The beginning of each name; a `reply_to` must not have it. */
    reserved: `${prefix}.`,
    commands: `${prefix}.commands`,
    unknownCommands: `${prefix}.commands.unknown`,
    events: `${prefix}.events`,
    lanes,
    quarantine: `${prefix}.quarantine`,
    deadLetters: `${prefix}.dead-letters`,
    undelivered: `${prefix}.replies.undelivered`,
    /** The reports' retry queue whose messages wait `delayMs`. */
    retry: (delayMs: number) => `${lanes.reports}.retry.${delayMs}`,
  };
}
