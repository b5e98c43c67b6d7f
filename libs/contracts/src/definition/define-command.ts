import type { Lane } from '../lanes.ts';
import { rulesOf, type Shape } from '../validation/rules-of.ts';
import type { ReplyDefinition } from './define-reply.ts';
import type { Example } from './example.ts';

/** One command: all that there is to say about it. Everything else in this repository is derived from here. */
export interface CommandDefinition<
  Type extends string = string,
  CommandLane extends Lane = Lane,
  Data extends object = object,
  Replies extends readonly ReplyDefinition[] = readonly ReplyDefinition[],
> {
  /** Also the routing key. */
  readonly type: Type;
  /** Its policies: a command on `interactive` is done once under its identity, one on `reports` is a read. */
  readonly lane: CommandLane;
  /** A sentence for documents. */
  readonly summary: string;
  /** The class of its data, whose decorators are its validation and whose descriptions are its documentation. */
  readonly data: Shape<Data>;
  /** Together they show every member. */
  readonly examples: readonly Example<Data>[];
  /** What it is answered with if nothing fails; a failure is `command.failed`. */
  readonly replies: Replies;
}

/** @throws TypeError for a member of the class that has no rule */
export function defineCommand<
  const Type extends string,
  const CommandLane extends Lane,
  Data extends object,
  const Replies extends readonly ReplyDefinition[],
>(
  definition: CommandDefinition<Type, CommandLane, Data, Replies> & {
    readonly examples: readonly Example<NoInfer<Data>>[];
  },
): CommandDefinition<Type, CommandLane, Data, Replies> {
  rulesOf(definition.data);
  return definition;
}
