import type { ContractOutline, OutlinedMember } from './contract-outline.ts';

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
