import { rulesOf, type Shape } from '../validation/rules-of.ts';
import type { Example } from './example.ts';

/** The definition of one type of reply. */
export interface ReplyDefinition<Type extends string = string, Data extends object = object> {
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

/** @throws TypeError if a member of the class has no rule */
export function defineReply<const Type extends string, Data extends object>(
  definition: ReplyDefinition<Type, Data> & {
    readonly announced: readonly (keyof NoInfer<Data> & string)[];
    readonly examples: readonly Example<NoInfer<Data>>[];
  },
): ReplyDefinition<Type, Data> {
  rulesOf(definition.data);
  return definition;
}
