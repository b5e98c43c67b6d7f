import { describe, expect, it } from '@jest/globals';

import { COMMAND_TYPES, CommandError, type CommandType } from '#contracts';
import { REPLIES, validateCommand } from '#contracts/validation';

import {
  AUTH_TYPE,
  BOOLEAN,
  COMPLETE,
  INTEGER,
  LANGUAGE,
  LANGUAGE_TAG,
  OBJECT,
  PAGE,
  PER_PAGE,
  PLAYER_ID,
  TEXT,
  withMember,
} from '../../libs/contracts/src/commands/validate-command.fixture.ts';
import { EXAMPLES } from '../../scripts/contract-documents/examples.ts';
import { SCHEMAS } from '../../scripts/contract-documents/schemas/schemas.ts';
import { faultsBySchema } from './schema-validators.ts';

const DEEP = { a: { b: [1, 'x', null, true, { c: 2 }] } };
const LAUNCH = [DEEP, { 7: 1 }, { a: { '-7': 1 } }, { a: 0.5 }, { a: ['\u0000'] }, { 'a\n': 1 }];
const TIMES = [
  '2026-03-01 00:00:01',
  '2026-13-01 00:00:00',
  '2026-03-01 24:00:00',
  '2026-03-01T00:00:00',
  '2026-03-01',
];
const POOL = new Set<unknown>([
  undefined,
  null,
  ...[TEXT, PLAYER_ID, LANGUAGE, LANGUAGE_TAG, AUTH_TYPE, BOOLEAN, INTEGER, PAGE, PER_PAGE, OBJECT].flatMap(
    ({ valid, invalid }) => [...valid, ...invalid],
  ),
  ...LAUNCH,
  ...TIMES,
]);

/** Rules that JSON Schema cannot express, or not for every validator. */
function isBeyondSchemas(value: unknown, path: string): boolean {
  if (typeof value !== 'string') return false;
  return !value.isWellFormed() || path.endsWith('launchOptions');
}

function isTaken(type: CommandType, data: unknown): boolean {
  try {
    validateCommand(type, data);
    return true;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

/** `player`, `player.id` and so on: every member of a command. */
function pathsOf(name: string): readonly string[] {
  const properties = SCHEMAS[name]?.['properties'] as Record<string, { $ref?: string }>;
  return Object.entries(properties).flatMap(([member, { $ref }]) => {
    const nested = $ref?.replace('#/$defs/', '');
    const isObject = nested !== undefined && SCHEMAS[nested]?.['properties'] !== undefined;
    return [member, ...(isObject ? pathsOf(nested).map((path) => `${member}.${path}`) : [])];
  });
}

describe.each(COMMAND_TYPES)('the schema of %s', (type) => {
  it.each(pathsOf(type))('accepts and refuses the same values of %s as the worker', (path) => {
    const differing = [...POOL]
      .filter((value) => !isBeyondSchemas(value, path))
      .filter((value) => {
        // Both dates, so that they are in order if either is valid.
        const data = withMember(COMPLETE[type], path, value);
        if (path === 'dateFrom' && typeof value === 'string')
          Object.assign(data as object, { dateTo: '2027-01-01 00:00:00' });
        const sent = JSON.parse(JSON.stringify(data)) as unknown;
        return isTaken(type, sent) !== (faultsBySchema(type, sent).length === 0);
      });
    expect(differing).toEqual([]);
  });

  it('refuses anything but an object, and unknown members', () => {
    for (const value of [null, [], 'text', 7, { ...COMPLETE[type], stranger: 1 }])
      expect([isTaken(type, value), faultsBySchema(type, value).length > 0]).toEqual([false, true]);
  });
});

describe('the schema of a reply', () => {
  const rows = [...REPLIES.keys()].map(
    (name) => [name, EXAMPLES[name]?.[0]?.payload as Record<string, unknown>] as const,
  );

  it.each(rows)('%s misses each member that is required', (name, payload) => {
    const required = SCHEMAS[name]?.['required'] as string[];
    const missed = required.filter((member) => {
      const { [member]: _, ...rest } = payload;
      return faultsBySchema(name, rest).length > 0;
    });
    expect(missed).toEqual(required);
    expect(faultsBySchema(name, { ...payload, later: 1 })).toEqual([]);
  });

  it('refuses an amount that is not an integer, unless the page names it', () => {
    const page = EXAMPLES['report.page']?.[0]?.payload as { records: object[] };
    const broken = { ...page, records: [{ ...page.records[0], rake: '1' }] };
    expect(faultsBySchema('report.page', broken)).toContain('/records/0/rake must be integer');
    const faults = [{ pointer: '/records/0/rake', message: 'is not an integer' }];
    expect(faultsBySchema('report.page', { ...broken, faults })).toEqual([]);
    expect(
      faultsBySchema('report.page', { ...broken, faults: [{ pointer: '/records/0/rake' }] }),
    ).not.toEqual([]);
  });
});
