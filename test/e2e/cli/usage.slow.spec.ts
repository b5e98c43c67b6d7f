import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { COMMANDS } from '#contracts/validation';

import { root } from '../../../scripts/root.ts';
import { runCli } from './run-cli.ts';

const { version, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
  bin: Record<string, string>;
};

describe('poker-bridge', () => {
  it.each([
    ['--help', '', 'Examples:\n  $ poker-bridge '],
    ['help', '', 'dead-letters'],
    ['help send', 'send', COMMANDS.map(({ type }) => type).join('|')],
    ['sign --help', 'sign', 'explain'],
    ['sign explain -h', 'sign explain', 'Examples:\n  $ poker-bridge sign explain '],
    ['dead-letters redrive -h', 'dead-letters redrive', '$ poker-bridge dead-letters redrive |INTERNAL_KEY'],
    ['replies redeliver -h', 'replies redeliver', '$ poker-bridge replies redeliver |INTERNAL_KEY'],
  ])('%s exits with 0', async (line, subcommand, expected) => {
    const { code, stdout, stderr } = await runCli(line.split(' '));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: poker-bridge ${subcommand}`.trimEnd());
    for (const each of expected.split('|')) expect(stdout).toContain(each);
  });

  it.each([
    ['', 'Usage: poker-bridge'],
    ['sign', 'Usage: poker-bridge sign'],
    ['sned', "unknown command 'sned'\n(Did you mean send?)"],
    ['send session.create', "required option '--data <JSON>' not specified"],
    ['send session.create --data {userId:1}', '--data is not JSON (line 1 column 2)'],
    ['send session.create --data @/no/such/file', '/no/such/file cannot be read (ENOENT)'],
    ['send session.create --data {} --jsno', '(Did you mean --json?)'],
    ['send session.create --data {} --deadline-ms 1200001', 'an integer from 1 to 1200000'],
    [`send session.create --data {} --id ${'é'.repeat(101)}`, '1 to 200 bytes'],
    ['report rake --out a.csv --decimals EUR', 'It must be pairs such as USD=2,BTC=8.'],
    ['report rake --day 2026-03-01 --out a.json --decimal-comma', '--decimal-comma is for .csv'],
    ['report rake --day 2026-03-01 --out a.xlsx', '--out ends in .csv, .ndjson, .json, .parquet, or is -'],
    ['report rake --day 2026-03-01 --out a.csv --format xml', 'choices are csv, ndjson, json, parquet'],
    ['report rake --day 2026-03-01 --out no/such/folder.csv', 'cannot be written (ENOENT)'],
    ['report rake --day 2026-03-01 --out a.csv --user-id @/no/such', 'cannot be read (ENOENT)'],
    ['report rake --from 2026-03-02 --to 2026-03-01 --out a.csv', 'dateTo must be after dateFrom'],
    ['report rake --day 2026-03-01 --out - --resume', '--resume needs a file'],
    ['sign explain', 'name one FILE, or one of --curl, --har, --request and --command'],
    ['sign explain --command game.open', '--command and --data belong together'],
    ['sign explain --command game.close --data {}', 'game.close is not a command of this version'],
    ['sign explain --command session.create --data {"userId":".."}', '--data: /userId '],
    ['trace', 'give --id, --player, --since or --until'],
    ['trace --since soon', 'a time ago, such as 30m'],
    ['trace --since 2026-02-30', 'a date or time of ISO 8601'],
    ['trace --id a --player b', "option '--player <ID>' cannot be used with option '--id <ID>'"],
    [
      'dead-letters discard',
      'select by --id, --reason, --type or --since (--help has all options), or give --all',
    ],
    ['dead-letters discard --all --id 1', "option '--all' cannot be used with option '--id <ID>'"],
    ['dead-letters redrive --all --set lang=de', 'a JSON pointer, = and a value'],
    ['dead-letters redrive --all --rate 0', 'an integer from 1 to 200'],
  ])('%s exits with 2 and says why', async (line, expected) => {
    const { code, stdout, stderr } = await runCli(line.split(' ').filter(Boolean));
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(expected)]);
  });

  it('prints its version', async () => {
    expect(await runCli(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('refuses text that is not UTF-8', async () => {
    const input = Buffer.from([0x22, 0xff, 0x22]);
    const run = await runCli(['send', 'session.create', '--data', '-'], { input });
    expect(run).toMatchObject({ code: 2, stderr: 'error: the standard input is not UTF-8\n' });
  });

  it.each([
    ['standard output', '--help >/dev/full', [2, 'error: the standard output cannot be written (ENOSPC)\n']],
    ['standard error', 'sned 2>/dev/full', [2, '']],
  ])('is the bin of the package, and exits without a stack if %s cannot be written', (_, line, expected) => {
    const args = ['-c', `"$1" ${line}`, '', join(root, bin['poker-bridge'] ?? '')];
    const { status, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
    expect([status, stderr]).toEqual(expected);
  });

  it('needs no settings for a subcommand that uses none', async () => {
    const variables = { AMQP_URL: 'nonsense', AMQP_PREFIX: 'amq.', SIGNATURE_SCALARS: 'json' };
    const input = '{"parameters":{"a":true}}';
    const { code, stdout } = await runCli(['sign', 'explain', '-', '--json'], { variables, input });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { canonical: '1' }]);
  });
});
