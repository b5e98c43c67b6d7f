import type { CommandType, LANE_OF_COMMAND, RepliesOf, ReplyType } from './message-types.ts';

/** A class whose members have class-validator decorators. */
export type Shape<T extends object = object> = new () => T;

/** One example of a message, for documents and tests. */
export interface Example<T> {
  readonly name: string;
  readonly summary: string;
  /** Its headers, without those that every message has. */
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly data: T;
}

/** The definition of one type of reply. */
export interface ReplyDefinition<Type extends ReplyType = ReplyType, Data extends object = object> {
  /** Also the routing key of its announcement. */
  readonly type: Type;
  /** A sentence for documents. */
  readonly summary: string;
  /** The class of its data, whose decorators and descriptions are its schema; callers ignore further members. */
  readonly data: Shape<Data>;
  /** Whether it ends its command. */
  readonly final: boolean;
  /** The members that its announcement shows. Every other member is private, also one that is added later. */
  readonly announced: readonly string[];
  readonly examples: readonly Example<Data>[];
}

/** The definition of one command. Everything else in this repository is derived from it. */
export interface CommandDefinition<
  Type extends CommandType = CommandType,
  Data extends object = object,
  Replies extends readonly ReplyDefinition[] = ReplyDefinitions<RepliesOf<Type>>,
> {
  /** Also the routing key. */
  readonly type: Type;
  readonly lane: (typeof LANE_OF_COMMAND)[Type];
  /** A sentence for documents. */
  readonly summary: string;
  /** The names that lead to the player in its data, for log lines that belong together. */
  readonly player: readonly [string, ...string[]];
  /** The class of its data, whose decorators are its validation and whose descriptions are its documentation. */
  readonly data: Shape<Data>;
  /** Together they show every member. */
  readonly examples: readonly Example<Data>[];
  /** Its replies if nothing fails, those of its row; a failure is `command.failed`. */
  readonly replies: Replies;
}

/** A definition for each row, in the same order. */
export type ReplyDefinitions<Rows extends readonly { readonly type: ReplyType }[]> = {
  readonly [Index in keyof Rows]: ReplyDefinition<Rows[Index]['type']>;
};
