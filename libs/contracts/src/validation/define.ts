import type { CommandType, ReplyType } from '../message-types.ts';
import { rulesOf } from './compile-shape.ts';
import type { Shape } from './shape.ts';

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
  /** The members that its announcement shows. Every other member is private, also one that is added later. */
  readonly announced: readonly string[];
  readonly examples: readonly Example<NoInfer<Data>>[];
}

/** The definition of one command. Everything else in this repository is derived from it and from its lane. */
export interface CommandDefinition<
  Type extends CommandType = CommandType,
  Data extends object = object,
  Replies extends readonly ReplyDefinition[] = readonly ReplyDefinition[],
> {
  /** Also the routing key. */
  readonly type: Type;
  /** A sentence for documents. */
  readonly summary: string;
  /** The names that lead to the player in its data, for log lines that belong together. */
  readonly player: readonly [string, ...string[]];
  /** The class of its data, whose decorators are its validation and whose descriptions are its documentation. */
  readonly data: Shape<Data>;
  /** Together they show every member. */
  readonly examples: readonly Example<NoInfer<Data>>[];
  /** Its replies if nothing fails; a failure is `command.failed`. */
  readonly replies: Replies;
}

/** @throws TypeError if a member of the class has no rule */
export function defineCommand<
  const Type extends CommandType,
  Data extends object,
  const Replies extends readonly ReplyDefinition[],
>(definition: CommandDefinition<Type, Data, Replies>): CommandDefinition<Type, Data, Replies> {
  rulesOf(definition.data);
  return definition;
}

/** @throws TypeError if a member of the class has no rule */
export function defineReply<const Type extends ReplyType, Data extends object>(
  definition: ReplyDefinition<Type, Data> & {
    readonly announced: readonly (keyof NoInfer<Data> & string)[];
  },
): ReplyDefinition<Type, Data> {
  rulesOf(definition.data);
  return definition;
}

/** The names of a class's members, for a reply whose announcement shows all of them. */
export function membersOf<Data extends object>(shape: Shape<Data>): readonly (keyof Data & string)[] {
  // Fields are defined on every instance, even without a value.
  return Object.keys(new shape()) as (keyof Data & string)[];
}
