import type { CommandType, ReplyType } from '../message-types.ts';
import type { Shape } from './shape.ts';

type MemberOf<Data> = object extends Data ? string : keyof Data & string;

export interface Example<Data> {
  readonly name: string;
  readonly summary: string;
  /** Headers of the example in addition to those of every message. */
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly data: Data;
}

interface MessageDefinition<Data extends object> {
  readonly summary: string;
  /** The class of its data: type, rules, schema and descriptions. */
  readonly data: Shape<Data>;
  /** The examples of a command together show every member. */
  readonly examples: readonly Example<Data>[];
}

/** The definition of one command. Everything else in this repository is derived from it and from its lane. */
export interface CommandDefinition<
  Data extends object = object,
  Type extends CommandType = CommandType,
> extends MessageDefinition<Data> {
  /** The command type, which is also the routing key. */
  readonly type: Type;
  /** The path of the player's id in the data, used to correlate log lines. */
  readonly player: readonly [string, ...string[]];
  /** The replies to a successful command; the reply to a failed one is `command.failed`. */
  readonly replies: readonly [ReplyDefinition, ...ReplyDefinition[]];
}

/** The definition of one type of reply; callers ignore members of its data that they do not know. */
export interface ReplyDefinition<Data extends object = object> extends MessageDefinition<Data> {
  /** The reply type, which is also the routing key of the announcement. */
  readonly type: ReplyType;
  /** The members shown in the announcement. All others are private, including members added later. */
  readonly announced: readonly MemberOf<Data>[];
}
