import type { CommandType, ReplyType } from '../message-types.ts';
import type { Shape } from './shape.ts';

type MemberOf<Data> = object extends Data ? string : keyof Data & string;

/** One example of a message, for documents and tests. */
export interface Example<Data> {
  readonly name: string;
  readonly summary: string;
  /** Its headers, without those that every message has. */
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly data: Data;
}

interface MessageDefinition<Data extends object> {
  /** A sentence for documents. */
  readonly summary: string;
  /** The class of its data: type, rules, schema and descriptions. */
  readonly data: Shape<Data>;
  /** Those of a command together show every member. */
  readonly examples: readonly Example<Data>[];
}

/** The definition of one command. Everything else in this repository is derived from it and from its lane. */
export interface CommandDefinition<
  Data extends object = object,
  Type extends CommandType = CommandType,
> extends MessageDefinition<Data> {
  /** Also the routing key. */
  readonly type: Type;
  /** The names that lead to the player in its data, for log lines that belong together. */
  readonly player: readonly [string, ...string[]];
  /** Its replies if nothing fails; a failure is `command.failed`. */
  readonly replies: readonly ReplyDefinition[];
}

/** The definition of one type of reply; callers ignore members of its data that they do not know. */
export interface ReplyDefinition<Data extends object = object> extends MessageDefinition<Data> {
  /** Also the routing key of its announcement. */
  readonly type: ReplyType;
  /** The members that its announcement shows. Every other member is private, also one that is added later. */
  readonly announced: readonly MemberOf<Data>[];
}
