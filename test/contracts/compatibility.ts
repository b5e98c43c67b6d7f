import { busNames, COMMAND_TYPES, ERROR_CODES, LANE_OF_COMMAND } from '#contracts';

import {
  DATA_SCHEMAS,
  membersOf,
  MESSAGE_NAMES,
  schemaName,
} from '../../scripts/contract-documents/schemas/schemas.ts';

/** The path of the file that records, one per line, the facts that callers of version 1 rely on. */
export const RELEASED_LINES = 'test/contracts/version-1.txt';

const ANNOTATIONS = new Set(
  'description properties required items allOf additionalProperties title'.split(' '),
);

/**
 * Returns the facts of the current code that callers rely on, for example `game.open /player/nick maxLength
 * 255`.
 */
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

/** Returns each member of a message, whether it is required, and each rule for its value. */
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
 * Returns the changes that break a caller written for `before`: removed lines, and new requirements of a
 * command. A relaxed rule also counts as a removed line; the record is then changed by hand.
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
    // A required member of a new object does not affect existing callers.
    if (!known.has(`${type} ${path}`)) return keyword === 'required' && known.has(`${type} ${parent}`.trim());
    // An additional allowed value is not a new rule.
    return keyword !== 'enum' || before.every((each) => !each.startsWith(`${type} ${path} enum `));
  }
}

/**
 * Returns the record with all additions. If a change would break a caller, the record stays unchanged: a test
 * then lists each change until a person has decided about it.
 */
export function withAdditions(record: string, now: readonly string[]): string {
  return breakingChanges(record.trimEnd().split('\n'), now).length > 0 ? record : `${now.join('\n')}\n`;
}
