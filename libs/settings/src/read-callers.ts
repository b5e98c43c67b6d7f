import { COMMAND_TYPES } from '#contracts';
import { type ReadText, readTextFile } from './settings.ts';
import { SettingsError } from './settings-error.ts';

/** What one caller may do; what is absent allows everything. */
export interface CallerRules {
  readonly operators?: ReadonlySet<string>;
  readonly commands?: ReadonlySet<string>;
  /** Names of queues; one that ends with `*` is a beginning. */
  readonly replyTo?: readonly string[];
}

const MEMBERS = ['operators', 'commands', 'replyTo'] as const;
const KNOWN_COMMANDS: ReadonlySet<string> = new Set(COMMAND_TYPES);

/**
 * The rules of `CALLERS_FILE` by caller; `*` stands for all that have none. Source: bus contract, section 5a.
 *
 * @throws SettingsError for a file that cannot be read or does not hold what it should
 */
export function readCallers(
  path: string,
  readText: ReadText = readTextFile,
): ReadonlyMap<string, CallerRules> {
  const file = objectOf(parse(path, readText), 'the file');
  refuseUnknown(file, ['callers'], 'the file');
  const callers = Object.entries(objectOf(file['callers'], '"callers"'));
  return new Map(callers.map(([caller, rules]) => [caller, rulesOf(rules, JSON.stringify(caller))]));
}

function parse(path: string, readText: ReadText): unknown {
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    throw fault(`cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw fault('is not JSON');
  }
}

function rulesOf(value: unknown, caller: string): CallerRules {
  const given = objectOf(value, caller);
  refuseUnknown(given, MEMBERS, caller);
  const { operators, commands, replyTo } = given;
  const unknown = namesOf(commands, `${caller}: commands`)?.find((command) => !KNOWN_COMMANDS.has(command));
  if (unknown !== undefined) {
    throw fault(`${caller}: ${JSON.stringify(unknown)} is no command; there are ${COMMAND_TYPES.join(', ')}`);
  }
  const isMisplaced = (queue: string): boolean => queue.slice(0, -1).includes('*');
  const queues = namesOf(replyTo, `${caller}: replyTo`);
  if (queues?.some(isMisplaced)) throw fault(`${caller}: in replyTo, * may only stand at the end of a name`);
  return {
    ...(operators !== undefined && { operators: new Set(namesOf(operators, `${caller}: operators`)) }),
    ...(commands !== undefined && { commands: new Set(namesOf(commands, `${caller}: commands`)) }),
    ...(queues && { replyTo: queues }),
  };
}

function namesOf(value: unknown, where: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const isList = Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '');
  if (!isList) throw fault(`${where} must be a list of names`);
  return value as string[];
}

function refuseUnknown(given: object, known: readonly string[], where: string): void {
  const unknown = Object.keys(given).find((member) => !known.includes(member));
  if (unknown !== undefined)
    throw fault(`${where} has an unknown member ${JSON.stringify(unknown)}; there are ${known.join(', ')}`);
}

function objectOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw fault(`${where} must be an object`);
}

function fault(reason: string): SettingsError {
  return new SettingsError([{ variable: 'CALLERS_FILE', reason }]);
}
