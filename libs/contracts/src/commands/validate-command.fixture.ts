import { describe, expect, it } from '@jest/globals';

import { CommandError } from '../command-error.ts';
import type { CommandType } from '../message-types.ts';
import type { Violation } from '../replies/command-failed.ts';
import { isObject } from '../validation/member-rules.ts';
import { type CommandData, COMMANDS } from './commands.ts';
import { validateCommand } from './validate-command.ts';

/** A valid command of each type, with every member: the union of its examples. */
export const COMPLETE = Object.fromEntries(
  COMMANDS.map(({ type, examples }) => [type, examples.map(({ data }): object => data).reduce(merged)]),
) as { readonly [T in CommandType]: Complete<CommandData[T]> };

type Complete<T> = T extends object ? { readonly [K in keyof T]-?: Complete<Exclude<T[K], undefined>> } : T;

/** The violations that `validateCommand` throws; anything else is rethrown. */
export function violationsOf(type: CommandType, data: unknown): readonly Violation[] {
  try {
    validateCommand(type, data);
    return [];
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 'VALIDATION_FAILED') throw error;
    return error.violations ?? [];
  }
}

export function pointersOf(type: CommandType, data: unknown): readonly string[] {
  return violationsOf(type, data).map(({ pointer }) => pointer);
}

/** Returns `data` as JSON with the member at `path` (`player.nick`) set; `undefined` removes it. */
export function withMember(data: object, path: string, value: unknown): unknown {
  const copy = structuredClone(data) as Record<string, never>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  const holder = names.reduce<Record<string, unknown>>((object, name) => object[name] as never, copy);
  Object.defineProperty(holder, last, { value, enumerable: true, configurable: true, writable: true });
  return JSON.parse(JSON.stringify(copy));
}

function merged(first: object, second: object): object {
  const known = first as Readonly<Record<string, unknown>>;
  const members = Object.entries(second).map(([name, value]) => {
    const before = known[name];
    return [name, isObject(before) && isObject(value) ? merged(before, value) : value] as const;
  });
  return { ...first, ...Object.fromEntries(members) };
}

/** Values that a kind of member accepts or rejects, apart from absence and `null`. */
export interface MemberKind {
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
}

const NO_STRINGS = [0, 1, true, false, [], ['a'], {}, { a: 'a' }];
const NO_NUMBERS = ['', '1', '0x1', true, [], [1], {}, 0.5, -1.5, 1e21, 2 ** 53, -(2 ** 53)];
const NO_TEXT = [
  ...NO_STRINGS,
  'x'.repeat(256),
  '😀'.repeat(256),
  'x'.repeat(60_000),
  ...'a\u0000 line\nline \t \u001f \u007f \u0085 \u009f \ud83d a\ude00b'.split(' '),
];
const TEXTS = [...'a| |"|<b>|$value|%00|\u00a0|Zoë|李'.split('|'), 'x'.repeat(255), '😀'.repeat(255)];

export const TEXT: MemberKind = { valid: ['', ...TEXTS], invalid: NO_TEXT };

export const PLAYER_ID: MemberKind = {
  valid: [...TEXTS, '...', './', 'a/b', '%2e', '0', '__proto__'],
  invalid: [...NO_TEXT, '', '.', '..'],
};

export const LANGUAGE: MemberKind = {
  valid: ['en', 'DE', 'pt'],
  invalid: [...NO_TEXT, '', 'e', 'eng', 'e1', 'pt-BR', 'en\n', ' en', 'éé'],
};

/** Language tags, with examples of RFC 5646, appendix A, and tags that its section 2.1 forbids. */
export const LANGUAGE_TAG: MemberKind = {
  valid: [
    ...'de DE ast pt-BR pt-br es-419 zh-Hant zh-Hant-TW zh-cmn-Hans-CN'.split(' '),
    ...'sl-rozaj-biske de-CH-1996 sl-IT-nedis de-DE-u-co-phonebk en-a-myext-b-another'.split(' '),
    ...'de-CH-x-phonebk abcdefgh de-x-aaaaaaaa'.split(' '),
  ],
  invalid: [
    ...NO_TEXT,
    ...'|e|-|de-|-DE|de--DE|de_DE|de DE| de|de\n|e1|éé'.split('|'),
    ...'abcdefghi de-419-DE ar-a-aaa-b- de-u x'.split(' '),
    `de${'-x-aaaaaaaa'.repeat(40)}`,
    `de-x${'-aaaaaaaa'.repeat(40)}`,
  ],
};

export const AUTH_TYPE: MemberKind = {
  valid: ['external', 'internal'],
  invalid: [...NO_TEXT, '', 'External', 'internal ', 'constructor', ['internal']],
};

export const BOOLEAN: MemberKind = {
  valid: [true, false],
  invalid: ['true', 'false', '', 0, 1, [], [true], {}],
};

export const INTEGER: MemberKind = {
  valid: [0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  invalid: NO_NUMBERS,
};

export const PAGE: MemberKind = { valid: [1, 2, Number.MAX_SAFE_INTEGER], invalid: [...NO_NUMBERS, 0, -1] };

export const PER_PAGE: MemberKind = { valid: [1, 2, 1000], invalid: [...NO_NUMBERS, 0, -1, 1001] };
export const OBJECT: MemberKind = { valid: [], invalid: ['', '{}', 'a', 0, 5, true, false, [], [{}], [[]]] };

/**
 * Specs for each member of a command: each valid form, absent, `null`, and each invalid form.
 *
 * @param kinds path of the member (`player.nick`; with a trailing `!` if it is required) and its kind
 */
export function describeMembers(type: CommandType, kinds: Readonly<Record<string, MemberKind>>): void {
  const rows = Object.entries(kinds).map(([key, kind]) => {
    const path = key.replace(/!$/, '');
    return { path, required: key.endsWith('!'), pointer: `/${path.replaceAll('.', '/')}`, ...kind };
  });
  const found = (path: string, value: unknown) => violationsOf(type, withMember(COMPLETE[type], path, value));

  describe.each(rows)(`${type} $pointer`, ({ path, pointer, required, valid, invalid }) => {
    it('accepts valid values', () => {
      for (const value of valid) expect([value, found(path, value)]).toEqual([value, []]);
    });

    it(`${required ? 'must' : 'need not'} be given`, () => {
      const missing = { pointer, message: 'must be given, and not as null' };
      expect(found(path, undefined)).toEqual(required ? [missing] : []);
    });

    it('has one violation for an invalid value or null, which does not repeat the value', () => {
      for (const value of [null, ...invalid]) {
        const violations = found(path, value);
        expect([value, violations]).toEqual([value, [{ pointer, message: expect.stringMatching(/^must /) }]]);
        const marked = found(path, typeof value === 'string' ? `${value}\u0000S3CRET` : { S3CRET: value });
        expect(JSON.stringify(marked.map(({ message }) => message))).not.toContain('S3CRET');
      }
    });
  });
}
