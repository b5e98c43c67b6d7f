import { describe, expect, it } from '@jest/globals';

import { COMMAND_TYPES, CommandError, type CommandType, type Violation } from '#contracts';
import { REPLIES, validateCommand } from '#contracts/validation';

import { code, fencesOf, read, tablesWith } from './markdown.ts';

const text = read('docs/messages.md');

interface Member {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
}

/** Not a member of a member. */
const isOutermost = ({ name }: Member): boolean => !/[.[]/.test(name);

/** What a section of the document says of its members. */
function documented(section: string): readonly Member[] {
  return tablesWith(text, 'Member')
    .filter(({ heading }) => heading === `\`${section}\``)
    .flatMap(({ rows }) => rows)
    .map(([name, type = '', required]) => ({ name: code(name), type, isRequired: required === 'yes' }));
}

function violationsOf(type: CommandType, data: unknown): readonly Violation[] {
  try {
    validateCommand(type, data);
    return [];
  } catch (error) {
    return (error as CommandError).violations ?? [];
  }
}

/** The members that the worker knows, as listed in its violation for an unknown one. */
function knownMembers(type: CommandType, parent?: string): readonly string[] {
  const stranger = { 'no such member': 1 };
  const data = parent === undefined ? stranger : { [parent]: stranger };
  const [, members = ''] =
    violationsOf(type, data)
      .map(({ message }) => /the members are (.+)$/.exec(message) ?? [])
      .find(([found]) => found !== undefined) ?? [];
  return members.split(', ').map((name) => (parent === undefined ? name : `${parent}.${name}`));
}

/** `a.b` set to a value. */
function dataWith(name: string, value: unknown): object {
  const [first = '', second] = name.split('.');
  return { [first]: second === undefined ? value : { [second]: value } };
}

describe('the commands of docs/messages.md', () => {
  const membersOf = (type: CommandType): readonly Member[] => documented(type);
  const objectsIn = (type: CommandType) => membersOf(type).filter((member) => member.type === 'object');

  it.each(COMMAND_TYPES)('%s has the members that the worker knows', (type) => {
    const nested = objectsIn(type).flatMap(({ name }) =>
      name.includes('.') ? [] : knownMembers(type, name),
    );
    const known = [...knownMembers(type), ...nested];
    expect(
      membersOf(type)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(known.toSorted());
  });

  it.each(COMMAND_TYPES)('%s requires what the worker requires', (type) => {
    const empty = objectsIn(type).filter(({ name }) => !name.includes('.'));
    const missing = [{}, ...empty.map(({ name }) => ({ [name]: {} }))]
      .flatMap((data) => violationsOf(type, data))
      .filter(({ message }) => message.startsWith('must be given'))
      .map(({ pointer }) => pointer.slice(1).replace('/', '.'));
    const required = membersOf(type).filter(({ isRequired }) => isRequired);
    expect(required.map(({ name }) => name).toSorted()).toEqual([...new Set(missing)].toSorted());
  });

  const all = COMMAND_TYPES.flatMap((type) =>
    membersOf(type).map((member) => ({ command: type, ...member })),
  );
  it.each(all)('$command takes nothing but $type as $name', ({ command, name, type }) => {
    const others = { string: 7, integer: 'seven', boolean: 1, object: [] };
    expect(Object.keys(others)).toContain(type);
    const refused = violationsOf(command, dataWith(name, others[type as keyof typeof others]));
    expect(refused.map(({ pointer }) => pointer)).toContain(`/${name.replace('.', '/')}`);
  });

  it.each(COMMAND_TYPES)('%s has an example that is valid', (type) => {
    const examples = fencesOf(text).filter(({ heading }) => heading === `\`${type}\``);
    expect(examples.map((example) => violationsOf(type, JSON.parse(example.text)))).toEqual([[]]);
  });
});

describe('the replies of docs/messages.md', () => {
  it.each([...REPLIES.values()])('$type has the members of its class', ({ type, data }) => {
    const members = documented(type).filter(isOutermost);
    expect(members.map(({ name }) => name)).toEqual(Object.keys(new data()));
  });

  it('are the only other headings with members', () => {
    const headings = tablesWith(text, 'Member').map(({ heading }) => heading.replaceAll('`', ''));
    expect(headings.toSorted()).toEqual([...COMMAND_TYPES, ...REPLIES.keys()].toSorted());
  });

  it('show a page with the members that every page has', () => {
    const [page] = fencesOf(text).filter(({ heading }) => heading === '`report.page`');
    const members = documented('report.page').filter(isOutermost);
    const always = members.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    expect(Object.keys(JSON.parse(page?.text ?? '{}') as object)).toEqual(always);
  });
});
