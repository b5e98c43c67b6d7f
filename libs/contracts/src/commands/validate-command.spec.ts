import { describe, expect, it } from '@jest/globals';
import { plainToInstance, Type } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import fc from 'fast-check';
import 'reflect-metadata';

import type { Shape } from '../definition.ts';
import { COMMAND_TYPES, type CommandType } from '../message-types.ts';
import type { Violation } from '../replies/command-failed.ts';
import { type CompiledShape, compileShape, rulesOf } from '../validation/compile-shape.ts';
import { isObject } from '../validation/member-rules.ts';
import { announcedData, COMMANDS, REPLIES, type Reply } from './commands.ts';
import { GameOpen, GamePlayer, GameSession } from './game-open.ts';
import { COMPLETE, pointersOf, violationsOf, withMember } from './validate-command.fixture.ts';
import { validateCommand } from './validate-command.ts';

const SHAPES = Object.fromEntries(COMMANDS.map(({ type, data }) => [type, data])) as Record<
  CommandType,
  Shape
>;
/** Each object in a command, as the path to one of its members. */
const LEVELS: readonly (readonly [CommandType, path: string])[] = [
  ...COMMAND_TYPES.map((type) => [type, ''] as const),
  ['game.open', 'player.'],
  ['game.open', 'session.'],
];
const INHERITED_NAMES = Object.getOwnPropertyNames(Object.prototype);

describe.each(COMMAND_TYPES)('%s', (type) => {
  it('with every member becomes an instance of its class', () => {
    const instance = validateCommand(type, COMPLETE[type]);
    expect(instance).toBeInstanceOf(SHAPES[type]);
    expect(JSON.parse(JSON.stringify(instance))).toEqual(COMPLETE[type]);
  });

  it.each([null, undefined, true, 0, '', '{}', [], [COMPLETE[type]]])('as %j is not an object', (data) => {
    expect(violationsOf(type, data)).toEqual([{ pointer: '', message: 'must be an object' }]);
  });

  it('does not change the data', () => {
    const data = structuredClone<object>(COMPLETE[type]);
    validateCommand(type, data);
    expect(data).toEqual(COMPLETE[type]);
  });
});

describe.each(LEVELS)('an unknown member of %s %s', (type, path) => {
  const pointer = (name: string) => `/${path.replaceAll('.', '/')}${name}`;

  it.each([...INHERITED_NAMES, 'prototype', 'foo', '', 'USERID', 'userid', '0'])('%s is refused', (name) => {
    for (const value of [null, 1, 'a', [], {}, { polluted: true }]) {
      expect(pointersOf(type, withMember(COMPLETE[type], path + name, value))).toEqual([pointer(name)]);
    }
    expect('polluted' in {}).toBe(false);
  });

  it('is reported with the known names', () => {
    const [violation] = violationsOf(type, withMember(COMPLETE[type], `${path}foo`, 'S3CRET'));
    expect(violation?.message).toMatch(/^is not a member here; the members are (\w+, )+\w+$/);
  });
});

describe('the violations', () => {
  const unknown = (names: readonly string[]) =>
    pointersOf('session.create', { userId: 'p-1', ...Object.fromEntries(names.map((name) => [name, 1])) });

  it('escape a name as RFC 6901', () => {
    expect(unknown(['a/b', 'm~n', '~1', '/'])).toEqual(['/a~1b', '/m~0n', '/~01', '/~1']);
  });

  it('cut a long name, also within a surrogate pair, and mark the cut', () => {
    expect(unknown(['n'.repeat(100), 'n'.repeat(101), `${'n'.repeat(99)}😀`])).toEqual([
      `/${'n'.repeat(100)}`,
      `/${'n'.repeat(100)}…`,
      `/${'n'.repeat(99)}\ufffd…`,
    ]);
  });

  it('are few, however many the unknown members, and include every fault of the known ones', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`${'~'.repeat(500)}${n}`, n]));
    const player = { ...many, nick: 1 };
    const session = { ...many, lang: 1 };
    const violations = violationsOf('game.open', { ...many, player, session });
    expect(violations.length).toBeLessThan(32);
    expect(violations).toContainEqual({
      pointer: '/player',
      message: 'must hold no other members; 4980 more are not listed',
    });
    expect(violations).toContainEqual({ pointer: '', message: expect.stringContaining('5000 more') });
    expect(violations.map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining(['/player/id', '/player/nick', '/session/lang']),
    );
    expect(JSON.stringify(violations).length).toBeLessThan(32_768);
  });
});

describe('any JSON', () => {
  const plain = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      '',
      '.',
      '\ud800',
      'x'.repeat(256),
      1.5,
      2 ** 53,
      [],
      ['a'],
      {},
      '{}',
      '[]',
    ),
    fc.constantFrom<unknown>('2026-01-01 00:00:00', '2026-01-02 00:00:00', 'internal', 'en', 5, true),
    fc.string({ unit: 'binary' }),
    fc.integer(),
  );
  const hostile = fc.oneof(
    plain,
    fc.jsonValue(),
    fc
      .constantFrom(...INHERITED_NAMES)
      .map((name): unknown => JSON.parse(`[{${JSON.stringify(name)}:null}]`)),
  );

  /** An object with some of the members of `complete` and some of those names, with other values. */
  function tampered(
    complete: object,
    value: fc.Arbitrary<unknown>,
    unknownNames: readonly string[] = [],
  ): fc.Arbitrary<object> {
    const name = fc.constantFrom(...Object.keys(complete), ...unknownNames);
    return fc
      .tuple(fc.subarray(Object.entries(complete)), fc.array(fc.tuple(name, value), { maxLength: 3 }))
      .map(([kept, changed]) => inJson(Object.fromEntries([...kept, ...changed])));
  }

  function commands(type: CommandType, value: fc.Arbitrary<unknown>, unknownNames?: readonly string[]) {
    const complete = COMPLETE[type];
    if (!('player' in complete)) return tampered(complete, value, unknownNames);
    return fc
      .tuple(
        fc.oneof({ weight: 5, arbitrary: tampered(complete.player, value, unknownNames) }, value),
        fc.oneof({ weight: 5, arbitrary: tampered(complete.session, value, unknownNames) }, value),
      )
      .chain(([player, session]) => tampered({ player, session }, value, unknownNames));
  }

  it.each(COMMAND_TYPES)('is a valid %s, equal to what it was, or VALIDATION_FAILED', (type) => {
    const data = fc.oneof(
      hostile,
      commands(type, hostile),
      commands(type, hostile, [...INHERITED_NAMES, 'foo']),
    );
    fc.assert(
      fc.property(data, (value) => {
        const violations = violationsOf(type, value);
        const pointers = violations.map(({ pointer }) => pointer);
        expect(new Set(pointers).size).toBe(pointers.length);
        for (const { message } of violations) expect(message).toMatch(/^(must|is not) .{10,}/);
        if (violations.length > 0) return;
        expect(inJson(validateCommand(type, value))).toEqual(inJson(value));
      }),
      { numRuns: 500 },
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(INHERITED_NAMES);
  });

  it.each(COMMAND_TYPES)('finds in %s what plainToInstance and validateSync find', (type) => {
    fc.assert(
      fc.property(commands(type, plain), (value) => {
        expect(sorted(violationsOf(type, value))).toEqual(sorted(faultsByClassValidator(type, value)));
      }),
      { numRuns: 500 },
    );
  });

  // What class-transformer has to be told beside the decorators.
  Type(() => GamePlayer)(GameOpen.prototype, 'player');

  Type(() => GameSession)(GameOpen.prototype, 'session');

  /** The same decorators, run by the library that they belong to. */
  function faultsByClassValidator(type: CommandType, value: unknown): Violation[] {
    return faultsOf(validateSync(plainToInstance<object, unknown>(SHAPES[type], value)), '');
  }

  function faultsOf(errors: readonly ValidationError[], path: string): Violation[] {
    return errors.flatMap(({ property, constraints, children }) => {
      const pointer = `${path}/${property}`;
      const [message] = Object.values(constraints ?? {});
      return message === undefined ? faultsOf(children ?? [], pointer) : [{ pointer, message }];
    });
  }

  const inJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));
  const sorted = (violations: readonly Violation[]) =>
    violations.toSorted((a, b) => (a.pointer < b.pointer ? -1 : 1));
});

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
      'report,pages,records,totalCount,changedWhileReading,repeated,changed,missing,readFrom,readTo,spansIntervals,faults'.split(
        ',',
      ),
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
