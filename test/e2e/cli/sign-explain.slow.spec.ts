import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { build } from '../../../scripts/build/build.ts';
import { root } from '../../../scripts/root.ts';
import { type CliRun, runCli } from './run-cli.ts';

interface Vector {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly secret: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly canonical: string;
  readonly sign: string;
}

const VECTORS = join(root, 'test/vectors/signing.json');
const vectors = JSON.parse(readFileSync(VECTORS, 'utf8')) as Vector[];
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The content of the file is passed on standard input. */
function explain(rows: unknown, ...args: string[]): Promise<CliRun> {
  const input = typeof rows === 'string' ? rows : JSON.stringify(rows);
  return runCli(['sign', 'explain', '-', ...args], { input });
}

beforeAll(async () => void (await build(root)));

describe('poker-bridge sign explain --json', () => {
  let run: CliRun;
  let rows: readonly Vector[];
  beforeAll(async () => {
    run = await runCli(['sign', 'explain', VECTORS, '--json']);
    rows = JSON.parse(run.stdout) as Vector[];
  });

  it('answers each row with one line of a list', () => {
    expect([run.code, run.stderr, rows.length]).toEqual([0, '', vectors.length]);
    expect(run.stdout.trimEnd().split('\n')).toHaveLength(vectors.length + 2);
  });

  it.each(vectors.map((vector, index) => [vector.name, index] as const))('golden: %s', (_name, index) => {
    const { secret: _secret, ...expected } = vectors[index]!;
    expect(rows[index]).toEqual(expected);
  });

  it('answers one row with one object, whose digest needs a secret', async () => {
    const row = { parameters: { clientId: 'op1', userId: 'u-1' }, note: 'kept' };
    const { code, stdout } = await explain(row, '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, { ...row, canonical: 'u-1', sign: null }]);
    const again = await explain(stdout, '--json');
    expect(again.stdout).toBe(stdout);
  });

  it('keeps the digits of integers beyond 2^53', async () => {
    const { stdout } = await explain('{"parameters":{"a":9007199254740993,"b":{"c":-1}}}', '--json');
    expect(stdout).toContain('"a":9007199254740993,');
    expect(JSON.parse(stdout)).toMatchObject({ canonical: '9007199254740993-1' });
  });

  it('signs open-game over its body, if the settings say so', async () => {
    const data = { type: 'OpenGame', attributes: { player: { id: 'u-1' } } };
    const settings = { SIGNATURE_SCHEME_V3: 'raw-body' };
    const rawBody = { parameters: { client: 'op1', data }, secret: 'hush', settings };
    const session = { parameters: { userId: 'u-1' }, secret: 'hush', settings };
    const { stdout } = await explain([rawBody, session], '--json');
    const canonical = JSON.stringify({ data });
    expect(JSON.parse(stdout)).toMatchObject([
      { canonical, sign: sha256(`${canonical}hush`) },
      { canonical: 'u-1', sign: sha256('u-1hush') },
    ]);
  });
});

describe('poker-bridge sign explain', () => {
  const row = {
    name: 'a table',
    parameters: {
      client: 'op 1',
      page: '3',
      data: {
        type: 'OpenGame',
        attributes: {
          session: { tableId: 7, longLifeLoginToken: true, launchOptions: '{"b":"2/","a":null}' },
          player: { id: 'u-1' },
        },
      },
      clientId: 'op1',
    },
    secret: 'hush-hush',
  };
  const digest = (canonical: string): string => sha256(`${canonical}hush-hush`);

  it('shows what was kept and dropped and why, the pieces, the string, the digest and the mistakes', async () => {
    const { code, stdout } = await explain(row);
    expect(code).toBe(0);
    const [shown = '', mistakes = ''] = stdout.split('  what the usual mistakes would give instead\n');
    expect(shown.split('\n')).toEqual([
      'a table',
      '  settings',
      '    SCALARS=php              OPEN_GAME_CLIENT=keep  JSON_STRINGS=containers',
      '    JSON_PLACEMENT=in-place  EXCLUDE=top            SCHEME_V3=parameters',
      '  dropped',
      '    clientId  names the operator, is never signed',
      '    page      pagination is never signed',
      '  kept, sorted by name at every depth; the values are joined without separators, the secret comes last',
      '     1  /client                                      op 1       SIGNATURE_OPEN_GAME_CLIENT=keep',
      '     2  /data/attributes/player/id                   u-1',
      '     3  /data/attributes/session/launchOptions/a     (nothing)  found in a string of JSON, SIGNATURE_JSON_STRINGS=containers; null, SIGNATURE_SCALARS=php',
      '     4  /data/attributes/session/launchOptions/b     2/         found in a string of JSON, SIGNATURE_JSON_STRINGS=containers',
      '     5  /data/attributes/session/longLifeLoginToken  1          true, SIGNATURE_SCALARS=php',
      '     6  /data/attributes/session/tableId             7',
      '     7  /data/type                                   OpenGame',
      '  canonical string, 19 characters',
      '    op 1u-12/17OpenGame',
      '  sign',
      `    ${digest('op 1u-12/17OpenGame')}`,
      '',
    ]);
    const listed = mistakes.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(listed.slice(0, 9)).toEqual([
      ['SIGNATURE_SCALARS=json', digest('op 1u-1null2/true7OpenGame')],
      ['SIGNATURE_OPEN_GAME_CLIENT=drop', digest('u-12/17OpenGame')],
      ['SIGNATURE_JSON_STRINGS=none', digest('op 1u-1{"b":"2/","a":null}17OpenGame')],
      ['SIGNATURE_JSON_PLACEMENT=merge', digest('2/op 1u-117OpenGame')],
      ['SIGNATURE_SCHEME_V3=raw-body', digest(JSON.stringify({ data: row.parameters.data }))],
      ['The parameters are signed in the order of the request', digest('op 1OpenGame712/u-1')],
      ['Only the top level is sorted by name', digest('op 1OpenGame712/u-1')],
      ['The values are URL-encoded (percent-encoding)', digest('op%201u-12%2F17OpenGame')],
      ['The values are URL-encoded (form encoding)', digest('op+1u-12%2F17OpenGame')],
    ]);
    expect(mistakes).toMatch(/^ {4}no difference here: .*SIGNATURE_EXCLUDE=deep;/m);
    expect(mistakes).toMatch(/^ {4}looked for in a sign that is given: .*The digest is MD5;/m);
  });

  it('shows the opposite mistakes if the settings differ from the default', async () => {
    const settings = {
      SIGNATURE_SCALARS: 'json',
      SIGNATURE_OPEN_GAME_CLIENT: 'drop',
      SIGNATURE_JSON_STRINGS: 'none',
      RAKE_PARAMETERS_IN: 'query',
      SESSION_ID: 'omit',
      REPORT_RECORDS: 'lenient',
    };
    const { stdout } = await explain({ ...row, settings });
    const options = '{"b":"2/","a":null}';
    const given = (name: string): string | undefined =>
      new RegExp(`^ {4}${name} +([0-9a-f]{64})$`, 'm').exec(stdout)?.[1];
    expect(stdout).toContain('    client    SIGNATURE_OPEN_GAME_CLIENT=drop\n');
    expect(stdout).toContain(`    ${digest(`u-1${options}true7OpenGame`)}\n`);
    expect(given('SIGNATURE_OPEN_GAME_CLIENT=keep')).toBe(digest(`op 1u-1${options}true7OpenGame`));
    expect(given('SIGNATURE_JSON_STRINGS=containers')).toBe(digest('u-1null2/true7OpenGame'));
    expect(given('SIGNATURE_SCALARS=php')).toBe(digest(`u-1${options}17OpenGame`));
  });

  it('shows what the settings of placement and exclusion do, and what they explain', async () => {
    const parameters = { userId: 'u-1', nick: '{"z":"9","b":{"page":"2","a":"1"},"sort":"x"}', lang: 'en' };
    const settings = { SIGNATURE_JSON_PLACEMENT: 'merge', SIGNATURE_EXCLUDE: 'deep' };
    const given = { parameters, secret: 'hush-hush', settings, sign: digest('en12x9u-1') };
    const { stdout } = await explain(given);
    expect(stdout).toContain(
      [
        '  dropped',
        '    sort     pagination is never signed',
        '    /b/page  SIGNATURE_EXCLUDE=deep',
        '  kept, sorted by name at every depth; the values are joined without separators, the secret comes last',
        '     1  /b/a     1    joined from a string of JSON, SIGNATURE_JSON_PLACEMENT=merge',
        '     2  /lang    en',
        '     3  /userId  u-1',
        '     4  /z       9    joined from a string of JSON, SIGNATURE_JSON_PLACEMENT=merge',
        '',
      ].join('\n'),
    );
    expect(stdout).toContain(
      '    settings of that sign: SIGNATURE_JSON_PLACEMENT=in-place SIGNATURE_EXCLUDE=top\n',
    );
  });

  it('fits on a screen', async () => {
    const largest = await runCli(['sign', 'explain', VECTORS]);
    const screens = largest.stdout.split(/\n(?=\S)/);
    expect(screens).toHaveLength(vectors.length);
    expect(Math.max(...screens.map((screen) => screen.split('\n').length))).toBeLessThanOrEqual(50);
  });

  it('compares with a given sign, and names the mistake behind it', async () => {
    const right = await explain({ ...row, sign: digest('op 1u-12/17OpenGame') });
    expect(right.stdout).toContain('    the same as the sign that was given\n');
    expect(right.code).toBe(0);
    const unsorted = await explain({ ...row, sign: digest('op 1OpenGame712/u-1') });
    expect(unsorted.stdout).toContain(
      '    The parameters are signed in the order of the request; they must be',
    );
    const strange = await explain({ ...row, sign: 'ff' });
    expect([unsorted.code, strange.code]).toEqual([1, 1]);
    expect(strange.stdout).toContain(
      '    not the sign that was given, ff\n    The signature is not 64 lowercase',
    );
  });

  it('never prints a secret, nor control characters of a value', async () => {
    const steering = { parameters: { nick: '\u001b[2Jgone' }, secret: 'hush-hush' };
    const runs = [
      await explain([row, steering]),
      await explain([row, steering], '--json'),
      await explain('{"secret":"hush-hush"'),
      await explain('{"secret":"hush-hush","parameters":{},"settings":{"SIGNATURE_SCALARS":"hush-hush"}}'),
    ];
    for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toMatch(/hush|\p{Cc}\[/u);
    expect(runs[0]?.stdout).toContain(String.raw`\u001b[2Jgone`);
  });

  it.each([
    ['{"parameters":', /^error: the file is not JSON/],
    ['7', /^error: the file must be an object$/],
    ['[{"parameters":{}},7]', /^error: row 2 must be an object$/],
    ['{}', /^error: the file: parameters must be an object$/],
    ['{"parameters":[]}', /^error: the file: parameters must be an object$/],
    ['{"parameters":{},"secret":7}', /^error: the file: secret must be a string$/],
    ['{"parameters":{},"settings":7}', /^error: the file: settings must be an object$/],
    [
      '{"parameters":{},"settings":{"SCALARS":"php"}}',
      /^error: the file: settings has an unknown member SCALARS$/,
    ],
    [
      '{"parameters":{},"settings":{"SIGNATURE_SCALARS":"xml"}}',
      /^error: the file: SIGNATURE_SCALARS must be one of php, json$/,
    ],
  ])('ends with 2 for %s', async (input, expected) => {
    const { code, stdout, stderr } = await explain(input);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trimEnd()).toMatch(expected);
  });
});
