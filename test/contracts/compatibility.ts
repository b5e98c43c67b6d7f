import { busNames, COMMAND_TYPES, ERROR_CODES, LANE_OF_COMMAND } from '#contracts';

import {
  DATA_SCHEMAS,
  membersOf,
  MESSAGE_NAMES,
  schemaName,
} from '../../scripts/contract-documents/schemas/schemas.ts';

/** What callers of version 1 rely on, relative to the repository: a line each. */
export const RELEASED_LINES = 'test/contracts/version-1.txt';

const ANNOTATIONS = new Set(
  'description properties required items allOf additionalProperties title'.split(' '),
);

/** What callers rely on in the code as it is, for example `game.open /player/nick maxLength 255`. */
export function contractLines(): readonly string[] {
  const { reserved: _, lanes, ...rest } = busNames();
  const names = [...Object.values(rest), ...Object.values(lanes)].filter((name) => typeof name === 'string');
  return [
    ...names.map((name) => `name ${name}`),
    ...COMMAND_TYPES.map((type) => `lane of ${type}: ${LANE_OF_COMMAND[type]}`),
    ...Object.entries(ERROR_CODES).map(
      ([code, { category, retryable }]) => `code ${code} ${category}${retryable ? ' retryable' : ''}`,
    ),
    ...MESSAGE_NAMES.filter((name) => schemaName(name) in DATA_SCHEMAS).flatMap(linesOf),
  ];
}

/** Each member of a message, whether it must be there, and each rule of what it may hold. */
function linesOf(message: string): string[] {
  const members = membersOf(DATA_SCHEMAS[schemaName(message)]).flatMap(({ path, isRequired, held }) => {
    const rules = Object.entries(held).filter(([keyword]) => !ANNOTATIONS.has(keyword));
    const lines = rules.flatMap(([keyword, value]) =>
      (keyword === 'enum' ? (value as unknown[]) : [value]).map((one) => `${keyword} ${JSON.stringify(one)}`),
    );
    return ['', ...(isRequired ? ['required'] : []), ...lines].map((line) =>
      `${message} /${path.join('/')} ${line}`.trim(),
    );
  });
  return [message, ...members];
}

/**
 * What would break a caller that was written for `before`: each line that is gone, and each by which a command asks for
 * more. A rule that now takes more is a line that is gone, too: a person changes the record then.
 */
export function breakingChanges(before: readonly string[], after: readonly string[]): readonly string[] {
  const known = new Set(before);
  const gone = before.filter((line) => !after.includes(line)).map((line) => `gone: ${line}`);
  const asked = after.filter((line) => !known.has(line) && asksForMore(line)).map((line) => `new: ${line}`);
  return [...gone, ...asked];

  function asksForMore(line: string): boolean {
    const [type = '', path, keyword] = line.split(' ');
    if (!COMMAND_TYPES.some((command) => command === type) || path === undefined || keyword === undefined)
      return false;
    const parent = path.slice(0, path.lastIndexOf('/'));
    // A required member of an object that is new itself asks nothing of old callers.
    if (!known.has(`${type} ${path}`)) return keyword === 'required' && known.has(`${type} ${parent}`.trim());
    // One more value is no new rule.
    return keyword !== 'enum' || before.every((each) => !each.startsWith(`${type} ${path} enum `));
  }
}

/**
 * The record of what callers rely on, with what was added since. Where anything would break a caller it stays as it is:
 * a person decides what becomes of it, and until then a test names each change.
 */
export function withAdditions(record: string, now: readonly string[]): string {
  return breakingChanges(record.trimEnd().split('\n'), now).length > 0 ? record : `${now.join('\n')}\n`;
}
