/** The lanes that a worker serves, each with its own queue. Source: bus contract, section 1. */
export const LANES = ['interactive', 'reports'] as const;

export type Lane = (typeof LANES)[number];

/**
 * Every command and its lane, in the order of the documents. The lane decides the policies: a command on
 * `interactive` is run once for each identity, one on `reports` is a read. Source: bus contract, section 1.
 */
export const LANE_OF_COMMAND = {
  'session.create': 'interactive',
  'game.open': 'interactive',
  'report.ad-hoc.fetch': 'reports',
  'report.rake.fetch': 'reports',
} as const satisfies Readonly<Record<string, Lane>>;

export type CommandType = keyof typeof LANE_OF_COMMAND;
export const COMMAND_TYPES = Object.keys(LANE_OF_COMMAND) as readonly CommandType[];

/** One operation of one operator. It has its own circuit, and its own share of a lane. */
export interface Compartment {
  /** A command type; commands of unknown types are told apart as well. */
  readonly operation: string;
  readonly operator: string;
}

/** Returns the same text for the same compartment. No operation contains a space. */
export function compartmentKey({ operation, operator }: Compartment): string {
  return `${operation} ${operator}`;
}

export function compartmentIn(key: string): Compartment {
  const [operation = ''] = key.split(' ', 1);
  return { operation, operator: key.slice(operation.length + 1) };
}

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
 * Returns the command type with this name, if it exists. The result is the constant of this module, which is
 * interned: map lookups with it are faster than with a newly read string.
 */
export function commandTypeOf(name: string): CommandType | undefined {
  return TYPE_OF_NAME.get(name);
}

/** Returns true if a reply of this type is final; false if the type is not a reply. */
export function isFinalReplyType(type: unknown): type is ReplyType {
  return FINAL_BY_TYPE.get(type) === true;
}

/**
 * The latest possible deadline of a command, in milliseconds from its receipt. Source: bus contract, section
 * 2.
 */
export const LONGEST_DEADLINE_MS = 20 * 60 * 1000;
/** The maximum length of a command's id, in bytes of UTF-8. Source: bus contract, section 2. */
export const MAX_ID_BYTES = 200;

/** The only message version so far. */
export const SCHEMA_VERSION = 1;

export type BusNames = Readonly<ReturnType<typeof busNames>>;

/**
 * The name of every exchange and queue under a prefix (setting `AMQP_PREFIX`). Source: bus contract, section
 * 1.
 */
export function busNames(prefix = 'poker') {
  const lanes = Object.fromEntries(LANES.map((lane) => [lane, `${prefix}.${lane}`])) as Record<Lane, string>;
  return {
    /** The common start of all names; a `reply_to` must not start with it. */
    reserved: `${prefix}.`,
    commands: `${prefix}.commands`,
    unknownCommands: `${prefix}.commands.unknown`,
    events: `${prefix}.events`,
    lanes,
    quarantine: `${prefix}.quarantine`,
    deadLetters: `${prefix}.dead-letters`,
    undelivered: `${prefix}.replies.undelivered`,
    /** Returns the name of the retry queue in which reports wait `delayMs`. */
    retry: (delayMs: number) => `${lanes.reports}.retry.${delayMs}`,
  };
}
