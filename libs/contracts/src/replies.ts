import { COMMANDS } from './commands/commands.ts';
import type { ReplyDefinition } from './definition/define-reply.ts';
import { commandFailed } from './errors/command-failed.ts';

type Definition = (typeof COMMANDS)[number]['replies'][number] | typeof commandFailed;

/** The data of each reply by its type. Source: bus contract, section 3. */
export type ReplyData = { [D in Definition as D['type']]: InstanceType<D['data']> };

export type ReplyType = keyof ReplyData;

/** One reply: a type and its data. */
export type Reply = {
  readonly [T in ReplyType]: { readonly type: T; readonly data: ReplyData[T] };
}[ReplyType];

/** A reply that the definition of a command lists. */
export type ReplyTo<T extends (typeof COMMANDS)[number]['type']> = Extract<
  Reply,
  { type: Extract<(typeof COMMANDS)[number], { type: T }>['replies'][number]['type'] }
>;

/** Every type of reply, in the order of the commands; two commands may share one. */
export const REPLIES: ReadonlyMap<string, ReplyDefinition> = new Map(
  [...COMMANDS.flatMap(({ replies }): readonly ReplyDefinition[] => replies), commandFailed].map((reply) => [
    reply.type,
    reply,
  ]),
);

/** Whether a reply of this type is final; false for a type that is no reply. */
export function isFinalReplyType(type: unknown): type is ReplyType {
  return REPLIES.get(type as string)?.final === true;
}

/** What an announcement shows of a reply: the members that its definition declares public. */
export function announcedData({ type, data }: Reply): object {
  const { announced = [] } = REPLIES.get(type) ?? {};
  return Object.fromEntries(Object.entries(data).filter(([name]) => announced.includes(name)));
}
