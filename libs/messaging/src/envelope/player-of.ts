import { COMMANDS, type CommandType } from '#contracts';

const PLAYER_OF: ReadonlyMap<CommandType, readonly string[]> = new Map(
  COMMANDS.map(({ type, player }) => [type, player]),
);

/** The player that a command is about, also if its data breaks other rules; undefined if it names none. */
export function playerOf(type: CommandType, data: unknown): string | undefined {
  let value = data;
  for (const name of PLAYER_OF.get(type) ?? []) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === 'string' ? value : undefined;
}
