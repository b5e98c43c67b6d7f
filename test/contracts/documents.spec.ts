import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { Parser } from '@asyncapi/parser';
import { beforeAll, describe, expect, it } from '@jest/globals';

import { COMMAND_TYPES, CommandError, type CommandType, LANES } from '#contracts';
import { validateCommand } from '#contracts/validation';

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
import { CONTRACT_FOLDER, contractFiles } from '../../scripts/contract-documents/contract-files.ts';
import { EXAMPLES } from '../../scripts/contract-documents/message-examples.ts';
import { MESSAGES_DOCUMENT } from '../../scripts/contract-documents/messages-document.ts';
import {
  membersOf,
  MESSAGE_NAMES,
  schemaName,
  SCHEMAS,
} from '../../scripts/contract-documents/schemas/schemas.ts';
import { root } from '../../scripts/root.ts';
import { faultsBySchema, newAjv } from './schema-validators.ts';

const text = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('the contract documents', () => {
  it('equal the output of `npm run contract`, except openapi.yaml', async () => {
    const generated = await contractFiles();
    for (const [path, expected] of generated)
      expect({ path, text: text(path) }).toEqual({ path, text: expected });
    const folder = join(root, CONTRACT_FOLDER);
    const committed = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)));
    const inFolder = [...generated.keys()].filter((path) => path.startsWith(CONTRACT_FOLDER));
    expect(committed.sort()).toEqual([...inFolder, `${CONTRACT_FOLDER}/openapi.yaml`].sort());
  });

  it('have tables in docs/messages.md of which each line is readable at 120 columns', () => {
    const lines = text(MESSAGES_DOCUMENT).split('\n');
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });

  it.each(MESSAGE_NAMES)('have a self-contained schema of %s, with examples that follow it', (name) => {
    const schema = JSON.parse(text(`${CONTRACT_FOLDER}/schemas/${name}.schema.json`)) as {
      examples: unknown[];
    };
    const validate = newAjv().compile(schema);
    expect(schema.examples).not.toHaveLength(0);
    for (const example of schema.examples)
      expect([validate(example), validate.errors, example]).toEqual([true, null, example]);
  });
});

describe('asyncapi.yaml', () => {
  let parsed: Awaited<ReturnType<Parser['parse']>>;

  beforeAll(async () => void (parsed = await new Parser().parse(text(`${CONTRACT_FOLDER}/asyncapi.yaml`))));

  it('is a valid AsyncAPI 3 document, with an operation for each command and lane', () => {
    const listed = parsed.diagnostics.map(
      ({ code, message, path }) => `${code} ${message} ${path.join('/')}`,
    );
    // The parser suggests 3.1, but more tools read 3.0.
    expect(listed.filter((line) => !line.startsWith('asyncapi-latest-version'))).toEqual([]);
    expect(parsed.document?.version()).toBe('3.0.0');
    const operations = parsed.document?.operations().filterByReceive() ?? [];
    expect(operations).toHaveLength(COMMAND_TYPES.length + LANES.length);
  });
});

const LAUNCH = [
  { a: { b: [1, 'x', null, true, { c: 2 }] } },
  { 7: 1 },
  { a: 0.5 },
  { a: ['\u0000'] },
  { 'a\n': 1 },
];
const TIMES = ['2026-03-01 00:00:01', '2026-13-01 00:00:00', '2026-03-01 24:00:00', '2026-03-01T00:00:00'];
const POOL = new Set<unknown>([
  undefined,
  null,
  ...[TEXT, PLAYER_ID, LANGUAGE, LANGUAGE_TAG, AUTH_TYPE, BOOLEAN, INTEGER, PAGE, PER_PAGE, OBJECT].flatMap(
    ({ valid, invalid }) => [...valid, ...invalid],
  ),
  ...LAUNCH,
  ...TIMES,
]);

/** Rules that JSON Schema cannot express, at least not for every validator or without a recursive schema. */
function isBeyondSchemas(value: unknown, path: string): boolean {
  const isLaunch = path.endsWith('launchOptions');
  if (typeof value === 'string') return !value.isWellFormed() || isLaunch || path.endsWith('timeZone');
  if (!isLaunch && path !== 'extra') return false;
  return Object.values(value ?? {}).some(
    (member) => typeof member === 'object' || (isLaunch && member === 0.5),
  );
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

/** Returns the path of every member of a command: `player`, `player.id` and so on. */
const pathsOf = (type: string): readonly string[] =>
  membersOf(SCHEMAS[schemaName(type)]).map(({ path }) => path.join('.'));

describe.each(COMMAND_TYPES)('the schema of %s', (type) => {
  it.each(pathsOf(type))('accepts and rejects the same values of %s as the worker', (path) => {
    const differing = [...POOL].filter((value) => {
      // Both dates are set, so that they are in order if either is valid.
      const data = withMember(COMPLETE[type], path, value);
      if (path === 'dateFrom' && typeof value === 'string')
        Object.assign(data as object, { dateTo: '2027-01-01 00:00:00' });
      const sent = JSON.parse(JSON.stringify(data)) as unknown;
      const isValid = faultsBySchema(type, sent).length === 0;
      return isTaken(type, sent) ? !isValid : isValid && !isBeyondSchemas(value, path);
    });
    expect(differing).toEqual([]);
  });
});

it('the schema of report.page rejects a non-integer amount unless the page lists it as a fault', () => {
  const page = EXAMPLES['report.page']?.[0]?.payload as { records: object[] };
  const broken = { ...page, records: [{ ...page.records[0], rake: '1' }] };
  expect(faultsBySchema('report.page', broken)).toContain('/records/0/rake must be integer');
  const faults = [{ pointer: '/records/0/rake', message: 'is not an integer' }];
  expect(faultsBySchema('report.page', { ...broken, faults })).toEqual([]);
  expect(faultsBySchema('report.page', { ...broken, faults: [{ pointer: '/records/0/rake' }] })).not.toEqual(
    [],
  );
});
