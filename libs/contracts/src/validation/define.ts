import type { CommandDefinition, Example, ReplyDefinition, ReplyDefinitions } from '../definition.ts';
import {
  type CommandType,
  isFinalReplyType,
  LANE_OF_COMMAND,
  type RepliesOf,
  type ReplyType,
} from '../message-types.ts';
import { rulesOf } from './compile-shape.ts';

/**
 * Defines the command of a row of the message types, which has its lane and the types of its replies.
 *
 * @throws TypeError if a member of the class has no rule
 */
export function defineCommand<
  const Type extends CommandType,
  Data extends object,
  const Replies extends ReplyDefinitions<RepliesOf<Type>>,
>(
  definition: Omit<CommandDefinition<Type, Data, Replies>, 'lane'> & {
    readonly examples: readonly Example<NoInfer<Data>>[];
  },
): CommandDefinition<Type, Data, Replies> {
  rulesOf(definition.data);
  return { ...definition, lane: LANE_OF_COMMAND[definition.type] };
}

/**
 * Defines a reply of a row of the message types, which says whether it is final.
 *
 * @throws TypeError if a member of the class has no rule
 */
export function defineReply<const Type extends ReplyType, Data extends object>(
  definition: Omit<ReplyDefinition<Type, Data>, 'final'> & {
    readonly announced: readonly (keyof NoInfer<Data> & string)[];
    readonly examples: readonly Example<NoInfer<Data>>[];
  },
): ReplyDefinition<Type, Data> {
  rulesOf(definition.data);
  return { ...definition, final: isFinalReplyType(definition.type) };
}
