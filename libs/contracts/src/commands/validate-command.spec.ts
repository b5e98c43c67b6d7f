import { describe, expect, it } from '@jest/globals';
import { plainToInstance, Type } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import fc from 'fast-check';
import 'reflect-metadata';

import { COMMAND_TYPES, type CommandType } from '../message-types.ts';
import type { Violation } from '../replies/command-failed.ts';
import { type CompiledShape, compileShape } from '../validation/compile-shape.ts';
import type { Shape } from '../validation/shape.ts';
import { isObject } from '../validation/member-rules.ts';
import { COMMANDS } from './commands.ts';
import { GameOpen, GamePlayer, GameSession } from './game-open.ts';
import { COMPLETE, pointersOf, violationsOf, withMember } from './validate-command.fixture.ts';
import { validateCommand } from './validate-command.ts';

const SHAPES = Object.fromEntries<Shape>(COMMANDS.map(({ type, data }) => [type, data])) as Record<
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

const inJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));

describe.each(COMMAND_TYPES)('%s', (type) => {
  it('with every member becomes an instance of its classes, with the same values', () => {
    const data = structuredClone<object>(COMPLETE[type]);
    const instance = validateCommand(type, data);
    expect(instance).toBeInstanceOf(SHAPES[type]);
    if ('player' in instance) {
      expect(instance.player).toBeInstanceOf(GamePlayer);
      expect(instance.session).toBeInstanceOf(GameSession);
    }
    expect(inJson(instance)).toEqual(COMPLETE[type]);
    expect(data).toEqual(COMPLETE[type]);
  });

  it.each([null, undefined, true, 0, '', '{}', [], [COMPLETE[type]]])(
    'is rejected as %j, because that is not an object',
    (data) => {
      expect(violationsOf(type, data)).toEqual([{ pointer: '', message: 'must be an object' }]);
    },
  );
});

describe.each(LEVELS)('an unknown member of %s %s', (type, path) => {
  const pointer = (name: string) => `/${path.replaceAll('.', '/')}${name}`;

  it.each([...INHERITED_NAMES, 'prototype', 'foo', '', 'USERID', 'userid', '0'])('%s is rejected', (name) => {
    for (const value of [null, 1, 'a', [], {}, { polluted: true }])
      expect(pointersOf(type, withMember(COMPLETE[type], path + name, value))).toEqual([pointer(name)]);
    expect('polluted' in {}).toBe(false);
    const [violation] = violationsOf(type, withMember(COMPLETE[type], path + name, 'S3CRET'));
    expect(violation?.message).toMatch(/^is not a member here; the members are (\w+, )+\w+$/);
  });
});

describe('the violations', () => {
  const unknown = (names: readonly string[]) =>
    pointersOf('session.create', { userId: 'p-1', ...Object.fromEntries(names.map((name) => [name, 1])) });

  it('escape a name as RFC 6901 requires', () => {
    expect(unknown(['a/b', 'm~n', '~1', '/'])).toEqual(['/a~1b', '/m~0n', '/~01', '/~1']);
  });

  it('truncate a long name, even within a surrogate pair, and mark it as truncated', () => {
    expect(unknown(['n'.repeat(100), 'n'.repeat(101), `${'n'.repeat(99)}😀`])).toEqual([
      `/${'n'.repeat(100)}`,
      `/${'n'.repeat(100)}…`,
      `/${'n'.repeat(99)}\ufffd…`,
    ]);
  });

  it('limit the unknown members that are listed, and include every fault of known ones', () => {
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

describe('a command with other members and values', () => {
  const odd = [null, '', '.', '\ud800', 'x'.repeat(256), 1.5, 2 ** 53, [], ['a'], {}, '{}', '[]'];
  const right = ['2026-01-01 00:00:00', '2026-01-02 00:00:00', 'internal', 'en', 5, true];
  const value = fc.oneof(
    fc.constantFrom<unknown>(...odd, ...right),
    fc.string({ unit: 'binary' }),
    fc.integer(),
  );

  /** Returns an object with some members of `complete`, a few of them with other values. */
  function tampered(complete: object): fc.Arbitrary<object> {
    const changed = fc.tuple(fc.constantFrom(...Object.keys(complete)), value);
    return fc
      .tuple(fc.subarray(Object.entries(complete)), fc.array(changed, { maxLength: 3 }))
      .map(([kept, others]) => inJson(Object.fromEntries([...kept, ...others])));
  }

  function commands(type: CommandType): fc.Arbitrary<object> {
    const complete = COMPLETE[type];
    if (!('player' in complete)) return tampered(complete);
    const [player, session] = [complete.player, complete.session].map((part) =>
      fc.oneof({ weight: 5, arbitrary: tampered(part) }, value),
    );
    return fc.record({ player: player!, session: session! }).chain(tampered);
  }

  it.each(COMMAND_TYPES)('has the same faults in %s as plainToInstance and validateSync find', (type) => {
    fc.assert(
      fc.property(commands(type), (data) => {
        expect(sorted(violationsOf(type, data))).toEqual(sorted(faultsByClassValidator(type, data)));
      }),
      { numRuns: 500 },
    );
  });

  // class-transformer needs these types in addition to the decorators.
  Type(() => GamePlayer)(GameOpen.prototype, 'player');
  Type(() => GameSession)(GameOpen.prototype, 'session');

  /** Validates with the same decorators, run by class-validator itself. */
  function faultsByClassValidator(type: CommandType, data: object): Violation[] {
    return faultsOf(validateSync(plainToInstance<object, unknown>(SHAPES[type], data)), '');
  }

  function faultsOf(errors: readonly ValidationError[], path: string): Violation[] {
    return errors.flatMap(({ property, constraints, children }) => {
      const pointer = `${path}/${property}`;
      const [message] = Object.values(constraints ?? {});
      return message === undefined ? faultsOf(children ?? [], pointer) : [{ pointer, message }];
    });
  }

  const sorted = (violations: readonly Violation[]) =>
    violations.toSorted((a, b) => (a.pointer < b.pointer ? -1 : 1));
});

/** Returns the members of a shape that are missing in `data` at any depth, for example `nick`. */
function missingIn(data: Readonly<Record<string, unknown>>, { members }: CompiledShape): string[] {
  return members.flatMap(({ name, nested }) => {
    const value = data[name];
    if (value === undefined) return [name];
    return nested && isObject(value) ? missingIn(value, nested) : [];
  });
}

it.each(COMMANDS)('the examples of $type together show every member', ({ type, data }) => {
  const compiled = compileShape<object>(data);
  expect(missingIn({ ...COMPLETE[type] }, compiled)).toEqual([]);
  expect(data.members.toSorted()).toEqual(compiled.members.map(({ name }) => name).toSorted());
});
