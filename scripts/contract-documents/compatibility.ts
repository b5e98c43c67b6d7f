import { busNames, COMMAND_TYPES, ERROR_CODES, LANE_OF_COMMAND } from '#contracts';

import { formatted } from './contract-files.ts';
import type { JsonSchema } from './schemas/rule-schemas.ts';
import { MESSAGE_NAMES, resolved, SCHEMAS } from './schemas/schemas.ts';

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
        Object.fromEntries(membersOf(SCHEMAS[name] ?? {}, '')),
      ]),
    ),
  };
}

function membersOf(schema: JsonSchema, path: string): [string, OutlinedMember][] {
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(
    ([name, member]) => {
      const held = resolved(member);
      const rules = Object.fromEntries(Object.entries(held).filter(([keyword]) => !ANNOTATIONS.has(keyword)));
      const own = `${path}/${name}`;
      const items = resolved((held['items'] ?? {}) as JsonSchema);
      return [
        [own, { required: required.includes(name), rules }],
        ...membersOf(held, own),
        ...membersOf(items, `${own}/*`),
      ] as [string, OutlinedMember][];
    },
  );
}

type Members = Readonly<Record<string, OutlinedMember>>;

/**
 * What would break a caller that was written for `before`, each as a line.
 *
 * A command may gain members that can be absent and rules may take more; a reply may gain members and lose none.
 */
export function breakingChanges(before: ContractOutline, after: ContractOutline): readonly string[] {
  const isCommand = (message: string): boolean => message in before.lanes;
  return [
    ...before.names.filter((name) => !after.names.includes(name)).map((name) => `${name} is gone`),
    ...changed(before.lanes, after.lanes),
    ...changed(before.codes, after.codes),
    ...Object.entries(before.messages).flatMap(([message, members]) => {
      const now = after.messages[message];
      if (now === undefined) return [`${message} is gone`];
      const told = isCommand(message) ? commandChanges(members, now) : replyChanges(members, now);
      return told.map((line) => `${message} ${line}`);
    }),
  ];
}

function changed(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(before)
    .filter(([name, value]) => after[name] !== value)
    .map(([name, value]) => `${name} was ${value} and is ${after[name] ?? 'gone'}`);
}

function commandChanges(before: Members, after: Members): string[] {
  const known = Object.entries(before).flatMap(([path, was]) => {
    const is = after[path];
    if (is === undefined) return [`${path} is gone`];
    const required = is.required && !was.required ? [`${path} is required`] : [];
    const narrower = Object.keys({ ...was.rules, ...is.rules }).filter((keyword) =>
      isNarrower(keyword, was, is),
    );
    return [...required, ...narrower.map((keyword) => `${path} takes less by ${keyword}`)];
  });
  const added = Object.entries(after)
    .filter(([path, { required }]) => required && before[path] === undefined && isRoot(path, before))
    .map(([path]) => `${path} is required`);
  return [...known, ...added];
}

/** A required member of an object that is new itself asks nothing of old callers. */
function isRoot(path: string, before: Members): boolean {
  const parent = path.slice(0, path.lastIndexOf('/'));
  return parent === '' || before[parent] !== undefined;
}

function isNarrower(keyword: string, { rules: was }: OutlinedMember, { rules: is }: OutlinedMember): boolean {
  const [old, now] = [was[keyword], is[keyword]];
  if (now === undefined) return false;
  if (keyword.startsWith('min')) return old === undefined || Number(now) > Number(old);
  if (keyword.startsWith('max')) return old === undefined || Number(now) < Number(old);
  if (keyword === 'enum' && Array.isArray(old))
    return old.some((value) => !(now as unknown[]).includes(value));
  return JSON.stringify(old) !== JSON.stringify(now);
}

function replyChanges(before: Members, after: Members): string[] {
  return Object.entries(before).flatMap(([path, was]) => {
    const is = after[path];
    if (is === undefined) return [`${path} is gone`];
    const absent = was.required && !is.required ? [`${path} may be absent`] : [];
    const type =
      JSON.stringify(was.rules['type']) === JSON.stringify(is.rules['type'])
        ? []
        : [`${path} has another type`];
    return [...absent, ...type];
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
