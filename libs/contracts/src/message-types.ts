/** The lanes that a worker serves, each a queue of its own. Source: bus contract, section 1. */
export const LANES = ['interactive', 'reports'] as const;

export type Lane = (typeof LANES)[number];

interface ReplyRow {
  readonly type: string;
  /** Whether it ends its command. */
  readonly final: boolean;
}

interface CommandRow {
  /** Decides the policies: a command on `interactive` is run once for each identity, one on `reports` is a read. */
  readonly lane: Lane;
  /** The replies if nothing fails; a failure is `command.failed`. */
  readonly replies: readonly ReplyRow[];
}

const final = <const Type extends string>(type: Type) => ({ type, final: true }) as const;
const partial = <const Type extends string>(type: Type) => ({ type, final: false }) as const;
const FAILURE = final('command.failed');
const OF_A_REPORT = [partial('report.page'), final('report.completed')] as const;
/** Every command, in the order of the documents. Its definition, which validates, must fit its row. Source: bus contract, section 1. */
const COMMAND_ROWS = {
  'session.create': { lane: 'interactive', replies: [final('session.created')] },
  'game.open': { lane: 'interactive', replies: [final('game.opened')] },
  'report.ad-hoc.fetch': { lane: 'reports', replies: OF_A_REPORT },
  'report.rake.fetch': { lane: 'reports', replies: OF_A_REPORT },
} as const satisfies Readonly<Record<string, CommandRow>>;

type CommandRows = typeof COMMAND_ROWS;
export type CommandType = keyof CommandRows;

/** The rows of a command's replies, a tuple. */
export type RepliesOf<Type extends CommandType> = CommandRows[Type]['replies'];

export type ReplyType = RepliesOf<CommandType>[number]['type'] | typeof FAILURE.type;
export const COMMAND_TYPES = Object.keys(COMMAND_ROWS) as readonly CommandType[];

/** The lane of each command type. */
export const LANE_OF_COMMAND = Object.fromEntries(
  Object.entries(COMMAND_ROWS).map(([type, { lane }]) => [type, lane]),
) as { readonly [Type in CommandType]: CommandRows[Type]['lane'] };

const TYPE_OF_NAME: ReadonlyMap<unknown, CommandType> = new Map(COMMAND_TYPES.map((type) => [type, type]));
const FINAL_REPLIES: ReadonlySet<unknown> = new Set(
  [...Object.values(COMMAND_ROWS).flatMap(({ replies }): readonly ReplyRow[] => replies), FAILURE]
    .filter((reply) => reply.final)
    .map(({ type }) => type),
);

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

/** Whether a reply of this type is final; false for a type that is no reply. */
export function isFinalReplyType(type: unknown): type is ReplyType {
  return FINAL_REPLIES.has(type);
}

/** The only version of the messages so far. */
export const SCHEMA_VERSION = 1;

/** The name of every exchange and queue of one installation. Source: bus contract, section 1. */
export interface BusNames {
  /** The beginning of each name; a `reply_to` must not have it. */
  readonly reserved: string;
  readonly commands: string;
  readonly unknownCommands: string;
  readonly events: string;
  readonly lanes: Readonly<Record<Lane, string>>;
  readonly quarantine: string;
  readonly deadLetters: string;
  readonly undelivered: string;
  /** The reports' retry queue whose messages wait `delayMs`. */
  retry(delayMs: number): string;
}

/**
 * The names of exchanges and queues under a prefix.
 *
 * @param prefix default `poker` (setting `AMQP_PREFIX`)
 */
export function busNames(prefix = 'poker'): BusNames {
  const lanes = Object.fromEntries(LANES.map((lane) => [lane, `${prefix}.${lane}`])) as Record<Lane, string>;
  return {
    reserved: `${prefix}.`,
    commands: `${prefix}.commands`,
    unknownCommands: `${prefix}.commands.unknown`,
    events: `${prefix}.events`,
    lanes,
    quarantine: `${prefix}.quarantine`,
    deadLetters: `${prefix}.dead-letters`,
    undelivered: `${prefix}.replies.undelivered`,
    retry: (delayMs) => `${lanes.reports}.retry.${delayMs}`,
  };
}
