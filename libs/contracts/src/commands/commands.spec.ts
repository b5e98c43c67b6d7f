import { describe, expect, it } from '@jest/globals';

import { compileShape, type CompiledShape } from '../validation/compile-shape.ts';
import { isObject } from '../validation/objects.ts';
import { rulesOf } from '../validation/rules-of.ts';
import { announcedData, COMMANDS, REPLIES, type Reply } from './commands.ts';
import { COMPLETE, violationsOf } from './validate-command.fixture.ts';

/** `player`, `player.id` and so on. */
function membersOf({ members }: CompiledShape): string[] {
  return [...members.values()].flatMap(({ name, nested }) => [
    name,
    ...(nested === undefined ? [] : membersOf(nested).map((path) => `${name}.${path}`)),
  ]);
}

/** The members of an object that `shape` knows. */
function shownBy(data: Record<string, unknown>, { members }: CompiledShape): string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const nested = members.get(name)?.nested;
    const inner = nested !== undefined && isObject(value) ? shownBy(value, nested) : [];
    return [name, ...inner.map((path) => `${name}.${path}`)];
  });
}

describe.each(COMMANDS)('the definition of $type', ({ type, data, examples, replies }) => {
  it.each<{ name: string; data: object }>(examples)('has a valid example $name', (example) => {
    expect(violationsOf(type, example.data)).toEqual([]);
  });

  it('shows every member in its examples', () => {
    const shape = compileShape<object>(data);
    const shown = shownBy({ ...COMPLETE[type] }, shape);
    expect(shown.toSorted()).toEqual(membersOf(shape).toSorted());
  });

  it('has a final reply', () => {
    expect(replies.filter(({ final }) => final)).not.toEqual([]);
  });
});

describe.each([...REPLIES.values()])('the definition of $type', ({ type, data, announced, final }) => {
  it('announces existing members, and only of a final reply', () => {
    const members = [...rulesOf(data).keys()];
    expect(announced.filter((member) => !members.includes(member))).toEqual([]);
    expect(final || announced.length === 0).toBe(true);
  });

  it('is defined once', () => {
    const definitions = COMMANDS.flatMap(({ replies }) => replies.filter((reply) => reply.type === type));
    expect(new Set(definitions).size).toBe(type === 'command.failed' ? 0 : 1);
  });
});

describe('announcedData', () => {
  const announced = (type: string, data: object) => announcedData({ type, data } as Reply);

  it.each<[string, readonly string[]]>([
    ['session.created', ['userId', 'sessionId']],
    ['game.opened', ['id', 'playerId', 'sessionId']],
    ['report.page', []],
    [
      'report.completed',
      [
        'report',
        'pages',
        'records',
        'totalCount',
        'changedWhileReading',
        'repeated',
        'changed',
        'missing',
        'readFrom',
        'readTo',
        'spansIntervals',
      ],
    ],
  ])('of %s holds only the public members', (type, expected) => {
    const [example] = REPLIES.get(type)?.examples ?? [];
    const data: object = { added: 'CANARY', ...(example?.data as object) };
    expect(Object.keys(announced(type, data))).toEqual(expected);
  });

  it('of command.failed holds the error body', () => {
    const body = { code: 'NOT_FOUND', attempts: 1, retryAfterMs: 5 };
    expect(announced('command.failed', { ...body, added: 'CANARY' })).toEqual(body);
  });

  it('of an unknown type holds nothing', () => {
    expect(announced('session.create', { userId: 'CANARY' })).toEqual({});
  });
});
