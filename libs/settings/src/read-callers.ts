import { COMMAND_TYPES, isCommandType } from '#contracts';
import { JsonFile } from './json-file.ts';
import type { ReadText } from './settings.ts';

/** The rights of one caller; an absent member allows everything. */
export interface CallerRules {
  readonly operators?: ReadonlySet<string> | undefined;
  readonly commands?: ReadonlySet<string> | undefined;
  /** Queue names; a name that ends with `*` is a prefix. */
  readonly replyTo?: readonly string[] | undefined;
}

const FILE = new JsonFile('CALLERS_FILE');
const MEMBERS = ['operators', 'commands', 'replyTo'] as const;

/**
 * Reads `CALLERS_FILE` into rules by caller; `*` stands for callers without rules. Source: bus contract,
 * section 5a.
 *
 * @throws SettingsError for a file that cannot be read or has invalid content
 */
export function readCallers(path: string, readText?: ReadText): ReadonlyMap<string, CallerRules> {
  const file = FILE.read(path, readText);
  FILE.refuseUnknown(file, ['callers'], 'the file');
  const callers = Object.entries(FILE.object(file['callers'], '"callers"'));
  return new Map(callers.map(([caller, rules]) => [caller, rulesOf(rules, JSON.stringify(caller))]));
}

function rulesOf(value: unknown, caller: string): CallerRules {
  const given = FILE.object(value, caller);
  FILE.refuseUnknown(given, MEMBERS, caller);
  const [operators, commands, replyTo] = MEMBERS.map((member) =>
    namesOf(given[member], `${caller}: ${member}`),
  );
  const unknown = JSON.stringify(commands?.find((command) => !isCommandType(command)));
  if (unknown) throw FILE.fault(`${caller}: ${unknown} is not a command; use ${COMMAND_TYPES.join(', ')}`);
  if (replyTo?.some((queue) => queue.slice(0, -1).includes('*')))
    throw FILE.fault(`${caller}: in replyTo, * is only allowed at the end of a name`);
  return { operators: operators && new Set(operators), commands: commands && new Set(commands), replyTo };
}

function namesOf(value: unknown, where: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const isList = Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '');
  if (!isList) throw FILE.fault(`${where} must be a list of names`);
  return value as string[];
}
