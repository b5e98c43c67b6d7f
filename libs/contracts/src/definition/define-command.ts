import type { Lane } from '../lanes.ts';
import { rulesOf, type Shape } from '../validation/rules-of.ts';
import type { ReplyDefinition } from './define-reply.ts';
import type { Example } from './example.ts';

/** The definition of one command. Everything else in this repository is derived from it. */
export interface CommandDefinition<
  Type extends string = string,
  CommandLane extends Lane = Lane,
  Data extends object = object,
  Replies extends readonly ReplyDefinition[] = readonly ReplyDefinition[],
> {
  /** Also the routing key. */
  readonly type: Type;
  /** Decides its policies: a command on `interactive` is run once for each identity, one on `reports` is a read. */
  readonly lane: CommandLane;
  /** A sentence for documents. */
  readonly summary: string;
  /** The names that lead to the player in its data, for log lines that belong together. */
  readonly player: readonly [string, ...string[]];
  /** The class of its data, whose decorators are its validation and whose descriptions are its documentation. */
  readonly data: Shape<Data>;
  /** Together they show every member. */
  readonly examples: readonly Example<Data>[];
  /** Its replies if nothing fails; a failure is `command.failed`. */
  readonly replies: Replies;
}

/** @throws TypeError if a member of the class has no rule */
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
