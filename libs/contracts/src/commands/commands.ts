import type { CommandDefinition, ReplyDefinition } from '../validation/definition.ts';
import { COMMAND_TYPES, type CommandType, type ReplyType } from '../message-types.ts';
import { commandFailed } from '../replies/command-failed.ts';
import { gameOpen } from './game-open.ts';
import { reportAdHocFetch, reportRakeFetch } from './report-fetch.ts';
import { sessionCreate } from './session-create.ts';

/** All definitions. A command type without a definition does not compile. */
const DEFINITIONS = {
  'session.create': sessionCreate,
  'game.open': gameOpen,
  'report.ad-hoc.fetch': reportAdHocFetch,
  'report.rake.fetch': reportRakeFetch,
} as const satisfies { readonly [Type in CommandType]: CommandDefinition<object, Type> };

type Definitions = typeof DEFINITIONS;

export const COMMANDS: readonly Definitions[CommandType][] = COMMAND_TYPES.map((type) => DEFINITIONS[type]);

/** Every type of reply, in the order of the commands; two commands may share one. */
export const REPLIES: ReadonlyMap<string, ReplyDefinition> = new Map(
  [...COMMANDS.flatMap<ReplyDefinition>(({ replies }) => replies), commandFailed].map((reply) => [
    reply.type,
    reply,
  ]),
);

export type CommandData = { [Type in CommandType]: InstanceType<Definitions[Type]['data']> };

type DefinedReply = Definitions[CommandType]['replies'][number] | typeof commandFailed;

/** The data of each reply by its type. Source: bus contract, section 3. */
export type ReplyData = { [D in DefinedReply as D['type']]: InstanceType<D['data']> };

export type Reply = {
  readonly [Type in ReplyType]: { readonly type: Type; readonly data: ReplyData[Type] };
}[ReplyType];

/** A reply that the definition of a command lists. */
export type ReplyTo<Type extends CommandType> = Extract<
  Reply,
  { type: Definitions[Type]['replies'][number]['type'] }
>;

/** Returns the members of a reply that its announcement contains: the public ones of its definition. */
export function announcedData({ type, data }: Reply): object {
  const { announced = [] } = REPLIES.get(type) ?? {};
  return Object.fromEntries(Object.entries(data).filter(([name]) => announced.includes(name)));
}
