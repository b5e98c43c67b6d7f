import type { CommandType } from '../message-types.ts';
import { CommandError } from '../command-error.ts';
import type { Violation } from '../replies/command-failed.ts';
import { isObject } from '../validation/objects.ts';
import { type CommandData, COMMANDS } from './commands.ts';
import { validateCommand } from './validate-command.ts';

/** A valid command of each type, with every member: the union of its examples. */
export const COMPLETE = Object.fromEntries(
  COMMANDS.map(({ type, examples }) => [type, examples.map(({ data }): object => data).reduce(merged)]),
) as { readonly [T in CommandType]: Complete<CommandData[T]> };

type Complete<T> = T extends object ? { readonly [K in keyof T]-?: Complete<T[K]> } : T;

/** The violations that `validateCommand` throws; anything else is rethrown. */
export function violationsOf(type: CommandType, data: unknown): readonly Violation[] {
  try {
    validateCommand(type, data);
    return [];
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 'VALIDATION_FAILED') throw error;
    return error.violations ?? [];
  }
}

export function pointersOf(type: CommandType, data: unknown): readonly string[] {
  return violationsOf(type, data).map(({ pointer }) => pointer);
}

/** `data` as JSON, with the member at `path` (`player.nick`) set; `undefined` removes it. */
export function withMember(data: object, path: string, value: unknown): unknown {
  const copy = structuredClone(data) as Record<string, never>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  const holder = names.reduce<Record<string, unknown>>((object, name) => object[name] as never, copy);
  Object.defineProperty(holder, last, { value, enumerable: true, configurable: true, writable: true });
  return JSON.parse(JSON.stringify(copy));
}

function merged(first: object, second: object): object {
  const known = first as Readonly<Record<string, unknown>>;
  const members = Object.entries(second).map(([name, value]) => {
    const before = known[name];
    return [name, isObject(before) && isObject(value) ? merged(before, value) : value] as const;
  });
  return { ...first, ...Object.fromEntries(members) };
}
