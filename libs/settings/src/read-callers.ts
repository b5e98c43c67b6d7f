import { COMMAND_TYPES } from '#contracts';
import { JsonFile } from './json-file.ts';
import type { ReadText } from './settings.ts';

/** What one caller may do; what is absent allows everything. */
export interface CallerRules {
  readonly operators?: ReadonlySet<string>;
  readonly commands?: ReadonlySet<string>;
  /** Names of queues; one that ends with `*` is a beginning. */
  readonly replyTo?: readonly string[];
}

const FILE = new JsonFile('CALLERS_FILE');
const MEMBERS = ['operators', 'commands', 'replyTo'] as const;
const KNOWN_COMMANDS: ReadonlySet<string> = new Set(COMMAND_TYPES);

/**
 * The rules of `CALLERS_FILE` by caller; `*` stands for all that have none. Source: bus contract, section 5a.
 *
 * @throws SettingsError for a file that cannot be read or does not hold what it should
 */
export function readCallers(path: string, readText?: ReadText): ReadonlyMap<string, CallerRules> {
  const file = FILE.read(path, readText);
  refuseUnknown(file, ['callers'], 'the file');
  const callers = Object.entries(FILE.object(file['callers'], '"callers"'));
  return new Map(callers.map(([caller, rules]) => [caller, rulesOf(rules, JSON.stringify(caller))]));
}

function rulesOf(value: unknown, caller: string): CallerRules {
  const given = FILE.object(value, caller);
  refuseUnknown(given, MEMBERS, caller);
  const { operators, commands, replyTo } = given;
  const unknown = namesOf(commands, `${caller}: commands`)?.find((command) => !KNOWN_COMMANDS.has(command));
  if (unknown !== undefined) {
    throw FILE.fault(
      `${caller}: ${JSON.stringify(unknown)} is no command; there are ${COMMAND_TYPES.join(', ')}`,
    );
  }
  const isMisplaced = (queue: string): boolean => queue.slice(0, -1).includes('*');
  const queues = namesOf(replyTo, `${caller}: replyTo`);
  if (queues?.some(isMisplaced))
    throw FILE.fault(`${caller}: in replyTo, * may only stand at the end of a name`);
  return {
    ...(operators !== undefined && { operators: new Set(namesOf(operators, `${caller}: operators`)) }),
    ...(commands !== undefined && { commands: new Set(namesOf(commands, `${caller}: commands`)) }),
    ...(queues && { replyTo: queues }),
  };
}

function namesOf(value: unknown, where: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const isList = Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '');
  if (!isList) throw FILE.fault(`${where} must be a list of names`);
  return value as string[];
}

function refuseUnknown(given: object, known: readonly string[], where: string): void {
  const unknown = Object.keys(given).find((member) => !known.includes(member));
  if (unknown !== undefined)
    throw FILE.fault(
      `${where} has an unknown member ${JSON.stringify(unknown)}; there are ${known.join(', ')}`,
    );
}
