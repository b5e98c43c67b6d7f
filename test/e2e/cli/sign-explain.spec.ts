import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from '../../../scripts/root.ts';
import { type CliRun, runCli } from './run-cli.ts';

const VECTORS = join(root, 'test/vectors/signing.json');
const SECRET = 'hush-hush';
const digest = (canonical: string): string => hash('sha256', `${canonical}${SECRET}`);

const launchOptions = '{"b":"2/","a":null}';
const session = { tableId: 7, longLifeLoginToken: true, launchOptions };
const data = { type: 'OpenGame', attributes: { session, player: { id: 'u-1' } } };
const row = { parameters: { client: 'op 1', page: '3', data, clientId: 'op1' }, secret: SECRET };

/** Passes the content of the file on standard input. */
function explain(rows: unknown, ...args: string[]): Promise<CliRun> {
  const input = typeof rows === 'string' ? rows : JSON.stringify(rows);
  return runCli(['sign', 'explain', '-', ...args], { input });
}

describe('poker-bridge sign explain --json', () => {
  it.concurrent('answers each golden row with one line of a list, without its secret', async () => {
    const { code, stdout, stderr } = await runCli(['sign', 'explain', VECTORS, '--json']);
    const vectors = JSON.parse(readFileSync(VECTORS, 'utf8')) as { secret: string }[];
    const expected = vectors.map(({ secret: _secret, ...others }) => others);
    expect([code, stderr, JSON.parse(stdout)]).toEqual([0, '', expected]);
    expect(stdout.trimEnd().split('\n')).toHaveLength(vectors.length + 2);
  });

  it.concurrent('signs the page of a report command that a worker would ask for', async () => {
    const period = '{"dateFrom":"2026-03-01 00:00:00","dateTo":"2026-03-02 00:00:00","page":3}';
    const { stdout } = await runCli(
      ['sign', 'explain', '--command', 'report.rake.fetch', '--data', period, '--json'],
      { variables: { PLATFORM_CLIENT_ID: 'op1' } },
    );
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'GET /v2/app/users/rake?clientId=op1&per-page=500&page=3',
      parameters: { 'per-page': '500', page: '3' },
    });
  });

  it.concurrent('refuses parameters that are nested too deep for a signature', async () => {
    const nested = `{"parameters":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
    const { code, stdout, stderr } = await explain(nested);
    expect([code, stdout, stderr]).toEqual([2, '', 'error: the parameters are nested too deep\n']);
  });

  it.concurrent('answers one row with one object, digit for digit, whose digest needs a secret', async () => {
    const given = '{"parameters":{"a":9007199254740993,"b":{"c":-1}},"note":7';
    const { code, stdout } = await explain(`${given}}`, '--json');
    expect([code, stdout]).toEqual([0, `${given},"canonical":"9007199254740993-1","sign":null}\n`]);
    expect((await explain(stdout, '--json')).stdout).toBe(stdout);
  });
});

describe('poker-bridge sign explain', () => {
  // Another spec compares the whole output with docs/command-line.md.
  it.concurrent('shows why values are written so, and what the usual mistakes give', async () => {
    const { code, stdout } = await explain(row);
    expect(code).toBe(0);
    const nothing =
      '(nothing)  found in a string of JSON, SIGNATURE_JSON_STRINGS=containers; null, SIGNATURE';
    for (const text of ['    page      pagination is never signed\n', nothing])
      expect(stdout).toContain(text);
    const [, mistakes = ''] = stdout.split('  what the usual mistakes would give instead\n');
    const listed = mistakes.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(listed.slice(0, 6)).toEqual([
      ['SIGNATURE_SCALARS=json', digest('op 1u-1null2/true7OpenGame')],
      ['SIGNATURE_OPEN_GAME_CLIENT=drop', digest('u-12/17OpenGame')],
      ['SIGNATURE_JSON_STRINGS=none', digest(`op 1u-1${launchOptions}17OpenGame`)],
      ['SIGNATURE_JSON_PLACEMENT=merge', digest('2/op 1u-117OpenGame')],
      ['SIGNATURE_SCHEME_V3=raw-body', digest(JSON.stringify({ data }))],
      ['The parameters are signed in the order of the request', digest('op 1OpenGame712/u-1')],
    ]);
    expect(stdout.split('\n').length).toBeLessThanOrEqual(50);
  });

  it.concurrent('shows what other settings do, and which ones explain a sign', async () => {
    const parameters = { userId: 'u-1', nick: '{"z":"9","b":{"page":"2","a":"1"},"sort":"x"}', lang: 'en' };
    const settings = { SIGNATURE_JSON_PLACEMENT: 'merge', SIGNATURE_EXCLUDE: 'deep', SESSION_ID: 'omit' };
    const { stdout } = await explain({ parameters, secret: SECRET, settings, sign: digest('en12x9u-1') });
    for (const text of [
      '    /b/page  SIGNATURE_EXCLUDE=deep\n    sort     pagination is never signed\n',
      '     4  /z       9    joined from a string of JSON, SIGNATURE_JSON_PLACEMENT=merge\n',
      'settings of that sign: SIGNATURE_JSON_PLACEMENT=in-place SIGNATURE_EXCLUDE=top\n',
    ])
      expect(stdout).toContain(text);
    expect(stdout).toMatch(/^ {4}SIGNATURE_JSON_PLACEMENT=in-place +[0-9a-f]{64}$/m);
  });

  it.concurrent.each([
    [digest('op 1u-12/17OpenGame'), 0, 'the same as the sign that was given'],
    [digest('op 1OpenGame712/u-1'), 1, 'The parameters are signed in the order of the request; they must be'],
    ['ff', 1, 'not the sign that was given, ff\n    The signature is not 64 lowercase'],
  ])('compares with the sign %s', async (sign, code, expected) => {
    const stdout: unknown = expect.stringContaining(expected);
    expect(await explain({ ...row, sign })).toMatchObject({ code, stdout });
  });

  it.concurrent('never prints a secret, nor control characters; strings if there is no secret', async () => {
    const parameters = { nick: '\u001b[2Jgone', b: 'x y' };
    const shown = await explain([{ parameters, secret: SECRET }, { parameters }]);
    const runs = [
      shown,
      await explain('{"secret":"hush-hush"'),
      await explain('{"secret":"hush-hush","parameters":{},"settings":{"SIGNATURE_SCALARS":"hush-hush"}}'),
    ];
    for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toMatch(/hush|\p{Cc}\[/u);
    expect(shown.stdout).toContain(String.raw`\u001b[2Jgone`);
    expect(shown.stdout).toMatch(
      /none: a digest needs the secret\n[^]* in the order of the request +\S+gonex y\n/,
    );
  });

  it.concurrent.each([
    ['{"parameters":', /^error: the file is not JSON/],
    ['[{"parameters":{}},7]', /^error: row 2 must be an object$/],
    ['{"parameters":[]}', /^error: the file: parameters must be an object$/],
    ['{"parameters":{},"secret":7}', /^error: the file: secret must be a string$/],
    ['{"parameters":{},"settings":{"SCALARS":"php"}}', /settings has an unknown member SCALARS$/],
    ['{"parameters":{},"settings":{"SIGNATURE_SCALARS":"xml"}}', /SCALARS: must be one of php, json$/],
  ])('exits with 2 for %s', async (input, expected) => {
    const { code, stdout, stderr } = await explain(input);
    expect([code, stdout, stderr.trimEnd()]).toEqual([2, '', expect.stringMatching(expected)]);
  });

  it.concurrent('explains a curl line and a request with the settings of the worker', async () => {
    const variables = { PLATFORM_SECRET_KEY: SECRET, SIGNATURE_SCALARS: 'json' };
    const path = '/v2/app/users/u-1/session?clientId=op1';
    const line = (sign: string): string =>
      `curl 'https://api.example${path}' -H 'sign: ${sign}' -d userId=u-1 -d nick=Ace`;
    const right = await runCli(['sign', 'explain', '--curl', line(digest('Aceu-1'))], { variables });
    const input = line(digest('Aceu-1').toUpperCase());
    const capitals = await runCli(['sign', 'explain', '--curl', '-'], { variables, input });
    const wrong = `POST ${path}&page=2 HTTP/1.1\nsign: ff\n\nnick=Ace&userId=u-1`;
    const raw = await runCli(['sign', 'explain', '-', '--json'], { variables, input: wrong });
    expect([right, capitals, raw]).toMatchObject([
      { code: 0, stdout: expect.stringContaining('the same as the sign that was given') },
      { code: 1, stdout: expect.stringContaining('The digest is written in capitals') },
      { code: 1, lines: [{ canonical: 'Aceu-1', sign: digest('Aceu-1') }] },
    ]);
    for (const { stdout, stderr } of [right, capitals, raw]) expect(stdout + stderr).not.toContain('hush');
  });

  it.concurrent('explains how a worker signs a command', async () => {
    const client = { PLATFORM_SECRET_KEY: SECRET, PLATFORM_CLIENT_ID: 'op1' };
    const variables = { ...client, SIGNATURE_OPEN_GAME_CLIENT: 'drop' };
    const args = ['sign', 'explain', '--command', 'game.open', '--data', '{"player":{"id":"u-1"}}'];
    const { code, stdout } = await runCli(args, { variables });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`    ${digest('u-1OpenGame')}\n`)]);
    expect(stdout).toContain('SESSION_ID=derive');
    expect(await runCli(args)).toMatchObject({ code: 78, stderr: 'PLATFORM_CLIENT_ID: is required\n' });
  });
});
