import { busNames, COMMAND_TYPES, ERROR_CODES, LANE_OF_COMMAND } from '#contracts';

import { formatted } from './contract-files.ts';
import { membersOf, MESSAGE_NAMES, SCHEMAS } from './schemas/schemas.ts';

/** One member: whether it must be there, and the keywords that say what it may hold. */
export interface OutlinedMember {
  readonly required: boolean;
  readonly rules: Readonly<Record<string, unknown>>;
}

/** What callers rely on, as flat as it can be. */
export interface ContractOutline {
  readonly names: readonly string[];
  readonly lanes: Readonly<Record<string, string>>;
  /** `<category>`, and ` retryable` where it is. */
  readonly codes: Readonly<Record<string, string>>;
  /** By message, by path. */
  readonly messages: Readonly<Record<string, Readonly<Record<string, OutlinedMember>>>>;
}

const ANNOTATIONS = new Set([
  'description',
  'properties',
  'required',
  'items',
  'allOf',
  'additionalProperties',
  'title',
]);

/** The outline of the contract as it stands in the code. */
export function contractOutline(): ContractOutline {
  const { reserved: _, lanes, ...rest } = busNames();
  const names = Object.values(rest).filter((name) => typeof name === 'string');
  return {
    names: [...names, ...Object.values(lanes)],
    lanes: Object.fromEntries(COMMAND_TYPES.map((type) => [type, LANE_OF_COMMAND[type]])),
    codes: Object.fromEntries(
      Object.entries(ERROR_CODES).map(([code, { category, retryable }]) => [
        code,
        retryable ? `${category} retryable` : category,
      ]),
    ),
    messages: Object.fromEntries(
      MESSAGE_NAMES.filter((name) => SCHEMAS[name]?.['properties'] !== undefined).map((name) => [
        name,
        outlineOf(name),
      ]),
    ),
  };
}

function outlineOf(name: string): Record<string, OutlinedMember> {
  const members = membersOf(SCHEMAS[name]).map(({ path, isRequired, held }) => {
    const rules = Object.entries(held).filter(([keyword]) => !ANNOTATIONS.has(keyword));
    return [`/${path.join('/')}`, { required: isRequired, rules: Object.fromEntries(rules) }] as const;
  });
  return Object.fromEntries(members);
}

/**
 * What would break a caller that was written for `before`, each as a line: what is recorded has to stay as it is, and a
 * command may not ask for more. A rule that now takes more is named as well: a person changes the record then.
 */
export function breakingChanges(before: ContractOutline, after: ContractOutline): readonly string[] {
  return [...changes(before, after), ...Object.keys(before.lanes).flatMap((type) => demands(type))];

  function demands(type: string): string[] {
    const [known = {}, now = {}] = [before.messages[type], after.messages[type]];
    return Object.entries(now).flatMap(([path, { required, rules }]) => {
      const was = known[path];
      // A required member of an object that is new itself asks nothing of old callers.
      const parent = path.slice(0, path.lastIndexOf('/'));
      const isOfOld = parent === '' || known[parent] !== undefined;
      if (was === undefined) return required && isOfOld ? [`${type} ${path} is required`] : [];
      const added = Object.keys(rules).filter((keyword) => !(keyword in was.rules));
      return added.map((keyword) => `${type} ${path} takes less by ${keyword}`);
    });
  }
}

function changes(before: unknown, after: unknown, path: readonly string[] = []): string[] {
  const name = path.slice(1).join(' ');
  if (Array.isArray(before)) {
    const held = new Set((after as unknown[]).map((value) => JSON.stringify(value)));
    const gone = before.filter((value) => !held.has(JSON.stringify(value)));
    return gone.map((value) => `${name} ${String(value)} is gone`.trim());
  }
  if (typeof before !== 'object' || before === null)
    return before === after ? [] : [`${name} was ${String(before)} and is ${String(after)}`];
  return Object.entries(before).flatMap(([key, value]) => {
    const now = (after as Readonly<Record<string, unknown>>)[key];
    return now === undefined ? [`${name} ${key} is gone`.trim()] : changes(value, now, [...path, key]);
  });
}

/** What callers of version 1 rely on, relative to the repository. */
export const RELEASED_OUTLINE = 'test/contracts/version-1.json';

/**
 * The record of what callers rely on, with what was added since. Where anything would break a caller it stays as it is:
 * a person decides what becomes of it, and until then a test names each change.
 */
export async function withAdditions(record: string, now: ContractOutline): Promise<string> {
  if (breakingChanges(JSON.parse(record) as ContractOutline, now).length > 0) return record;
  return formatted(RELEASED_OUTLINE, JSON.stringify(now));
}
