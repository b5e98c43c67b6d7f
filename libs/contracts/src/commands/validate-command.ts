import type { CommandType } from '../message-types.ts';
import type { Violation } from '../replies/command-failed.ts';
import { CommandError } from '../command-error.ts';
import { type CompiledShape, compileShape } from '../validation/compile-shape.ts';
import { isObject, nameInPointer } from '../validation/member-rules.ts';
import { type CommandData, COMMANDS } from './commands.ts';
import { GameOpen, type GameSession } from './game-open.ts';

const SHAPES: ReadonlyMap<CommandType, CompiledShape> = new Map(
  COMMANDS.map(({ type, data }) => [type, compileShape<object>(data)]),
);
/**
 * The number of violations above which unknown members are only counted, because a list of them would be many
 * times the size of the command. Violations of known members are always listed.
 */
const MAX_UNKNOWN = 20;
const LONG_TEXT = 1024;
const UNKNOWN_MEMBER = 'is not a member here';
/** Members whose own member names are chosen by the sender. */
const WITHIN_FREE_MEMBER = /\/(extra|launchOptions)\/.*$/s;

/**
 * Validates a command's data and returns it as an instance of its class.
 *
 * @throws CommandError `VALIDATION_FAILED` with one violation for each fault, including unknown members.
 *   No violation repeats a value: it may be a player's.
 */
export function validateCommand<T extends CommandType>(type: T, data: unknown): CommandData[T] {
  if (!isObject(data)) {
    const violations = [{ pointer: '', message: 'must be an object' }];
    throw new CommandError('VALIDATION_FAILED', { violations });
  }
  const violations: Violation[] = [];
  const instance = read(SHAPES.get(type) as CompiledShape<CommandData[T]>, data, violations);
  if (violations.length > 0) throw new CommandError('VALIDATION_FAILED', { violations });
  if (instance instanceof GameOpen && instance.session) keepAsText(instance.session);
  return instance;
}

/** Keeps long launch options as the equivalent text, because parsed ones take much more memory. */
function keepAsText(session: GameSession): void {
  const { launchOptions } = session;
  const text = typeof launchOptions === 'object' ? JSON.stringify(launchOptions) : '';
  if (text.length > LONG_TEXT) Object.assign(session, { launchOptions: text });
}

/**
 * Returns the pointer of a violation with `*` for names chosen by the sender, because they may be a player's
 * name.
 */
export function pointerForLogs({ pointer, message }: Violation): string {
  if (message.startsWith(UNKNOWN_MEMBER)) return `${pointer.slice(0, pointer.lastIndexOf('/'))}/*`;
  return pointer.replace(WITHIN_FREE_MEMBER, '/$1/*');
}

function read<T extends object>(
  { shape, path, members }: CompiledShape<T>,
  data: Record<string, unknown>,
  violations: Violation[],
): T {
  const instance = new shape();
  let given = 0;
  for (const { name, nested } of members) {
    if (!Object.hasOwn(data, name)) continue;
    given += 1;
    const value = data[name];
    const held = nested && isObject(value) ? read(nested, value, violations) : value;
    (instance as Record<string, unknown>)[name] = held;
  }
  if (Object.keys(data).length > given) {
    const known = members.map(({ name }) => name);
    refuseUnknown(data, known, path, violations);
  }
  for (const member of members) {
    const fault = member.faultIn(instance);
    if (fault === undefined) continue;
    const { message, below = '' } = fault;
    violations.push({ pointer: `${path}/${member.name}${below}`, message });
  }
  return instance;
}

/** Adds the first unknown members to the violations, and the number of further ones at the object itself. */
function refuseUnknown(data: object, known: readonly string[], path: string, violations: Violation[]): void {
  const unknown = Object.keys(data).filter((name) => !known.includes(name));
  const listed = unknown.slice(0, Math.max(0, MAX_UNKNOWN - violations.length));
  const message = `${UNKNOWN_MEMBER}; the members are ${known.join(', ')}`;
  violations.push(...listed.map((name) => ({ pointer: `${path}/${nameInPointer(name)}`, message })));
  const more = unknown.length - listed.length;
  if (more > 0)
    violations.push({ pointer: path, message: `must hold no other members; ${more} more are not listed` });
}
