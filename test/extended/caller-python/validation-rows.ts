import { COMMAND_TYPES, type CommandType } from '#contracts';

import * as kinds from '../../../libs/contracts/src/commands/member-kinds.fixture.ts';
import {
  COMPLETE,
  pointersOf,
  withMember,
} from '../../../libs/contracts/src/commands/validate-command.fixture.ts';

/** A command, and where the worker finds its faults. */
export type ValidationRow = readonly [type: CommandType, data: unknown, pointers: readonly string[]];

const KINDS = Object.values(kinds).filter((kind) => typeof kind === 'object');
const TIMES = [
  '2026-02-29 00:00:00',
  '2026-03-01',
  '2026-03-01 24:00:00',
  '2030-01-01 00:00:00',
  '٢٠٢٦-03-01 00:00:00',
];
const LAUNCH_OPTIONS = [
  {},
  { a: { b: [1, null, true, 'x', -(2 ** 53 - 1)] } },
  { a: 0.5 },
  { a: 2 ** 53 },
  { 7: 'x' },
  { a: { '-7': 1 } },
  { 'a\n': 1 },
  { a: 'b\u0000' },
  { a: '\ud83d' },
  { a: 'x'.repeat(8_192) },
  { a: 'ä'.repeat(4_090) },
  { a: 'ä'.repeat(4_092) },
  nested(511),
  nested(512),
  '{}',
  '{"a":1.0}',
  '{"a":1.5}',
  '{"a":NaN}',
  '{"a":12345678901234567890}',
  '{"1":1}',
  '{"a":"\\ud83d"}',
  '[]',
  '{',
  '',
  `{"a":"${'x'.repeat(8_192)}"}`,
];
/** Every value of every kind: each member meets what another one accepts. */
const VALUES = [
  null,
  ...KINDS.flatMap(({ valid, invalid }) => [...valid, ...invalid]),
  ...TIMES,
  ...LAUNCH_OPTIONS,
];

/** Each member of each command with every value, and some of its forms as a whole. */
export function validationRows(): readonly ValidationRow[] {
  return COMMAND_TYPES.flatMap((type) => {
    const complete = COMPLETE[type];
    const members = pathsOf(complete).flatMap((path) => [
      withMember(complete, path, undefined),
      ...VALUES.map((value) => withMember(complete, path, value)),
    ]);
    const unknown = { ...complete, 'odd/~name': 1, ...Object.fromEntries(letters(40)) };
    return [null, [], 'x', {}, complete, unknown, ...members].map(
      (data) => [type, data, [...pointersOf(type, data)].toSorted()] as const,
    );
  });
}

function pathsOf(data: object, prefix = ''): readonly string[] {
  return Object.entries(data).flatMap(([name, value]: [string, unknown]) => {
    const path = `${prefix}${name}`;
    const isShape = name === 'player' || name === 'session';
    return isShape ? [path, ...pathsOf(value as object, `${path}.`)] : [path];
  });
}

function letters(count: number): readonly (readonly [string, number])[] {
  return Array.from({ length: count }, (_, index) => [`unknown${index}`, index] as const);
}

function nested(depth: number): object {
  let value: object = {};
  for (let level = 1; level < depth; level += 1) value = { a: value };
  return value;
}
