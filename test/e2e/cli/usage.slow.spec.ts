import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { COMMANDS } from '#contracts/validation';

import { build } from '../../../scripts/build/build.ts';
import { root } from '../../../scripts/root.ts';
import { runCli } from './run-cli.ts';

beforeAll(async () => void (await build(root)));

describe('poker-bridge', () => {
  it.each([
    ['--help'],
    ['help'],
    ['help send'],
    ['send --help'],
    ['sign --help'],
    ['sign explain --help'],
    ['sign explain -h'],
  ])('%s ends with 0', async (line) => {
    const { code, stdout, stderr } = await runCli(line.split(' '));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: poker-bridge ${line.replace(/help|--help|-h/, '').trim()}`.trimEnd());
  });

  it.each([['--help'], ['send --help'], ['sign explain --help']])('%s shows examples', async (line) => {
    const { stdout } = await runCli(line.split(' '));
    expect(stdout).toMatch(/\nExamples:\n {2}\$ poker-bridge /);
  });

  it.each([['help send'], ['send --help']])('%s lists every command', async (line) => {
    const { stdout } = await runCli(line.split(' '));
    for (const { type, summary } of COMMANDS)
      expect(stdout).toMatch(new RegExp(`^ +${type} +${summary}$`, 'm'));
  });

  it.each([
    ['', 'Usage: poker-bridge'],
    ['sign', 'Usage: poker-bridge sign'],
    ['sned', "unknown command 'sned'\n(Did you mean send?)"],
    ['sign explian', "unknown command 'explian'\n(Did you mean explain?)"],
    ['--verbose', "unknown option '--verbose'"],
    ['send --data {}', "missing required argument 'TYPE'"],
    ['send session.create', "required option '--data <JSON>' not specified"],
    ['send session.create --data {', '--data is not JSON'],
    ['send session.create --data', "option '--data <JSON>' argument missing"],
    ['send session.create --data @/no/such/file', '/no/such/file cannot be read (ENOENT)'],
    ['send session.create --data {} more', 'too many arguments'],
    ['send session.create --data {} --jsno', '(Did you mean --json?)'],
    ['send session.create --data {} --deadline-ms 0', 'an integer from 1 to 1200000'],
    ['send session.create --data {} --deadline-ms 1.5', 'an integer from 1 to 1200000'],
    ['send session.create --data {} --deadline-ms 1200001', 'an integer from 1 to 1200000'],
    [`send session.create --data {} --id ${'é'.repeat(101)}`, '1 to 200 bytes'],
    ['sign explain', 'name one FILE, or one of --curl, --har, --request and --command'],
    ['sign explain a.json --har b.har', 'name one FILE, or one of'],
    ['sign explain --command game.open', '--command and --data belong together'],
    ['sign explain --command game.close --data {}', 'game.close is no command of this version'],
    ['sign explain --command session.create --data {"userId":".."}', '--data: /userId '],
    ['trace', 'say --id, --player, --since or --until'],
    ['sign explain /no/such/file', '/no/such/file cannot be read (ENOENT)'],
    ['sign explain .', 'cannot be read (EISDIR)'],
    [
      'dead-letters discard',
      'select by --id, --reason, --type or --since (--help has all options), or give --all',
    ],
    ['dead-letters discard --all --id 1', '--all cannot be combined with another selection'],
    ['dead-letters list --since yesterday', 'a time ago, such as 30m'],
    ['dead-letters redrive --all --set lang=de', 'a JSON pointer, = and a value'],
    ['dead-letters redrive --all --rate 0', 'an integer from 1 to 200'],
    ['completion fish', 'SHELL is bash or zsh'],
  ])('%s ends with 2 and says why', async (line, expected) => {
    const { code, stdout, stderr } = await runCli(line.split(' ').filter(Boolean));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(expected);
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(await runCli(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([
    ['poker-bridge dead', 'dead-letters'],
    ['poker-bridge dead-letters re', 'redrive'],
    ['poker-bridge dead-letters redrive --dr', '--dry-run'],
    ['poker-bridge send session.', 'session.create'],
    ['poker-bridge report rake --o', '--operator --out'],
  ])('completes %j in bash', async (line, expected) => {
    const { stdout } = await runCli(['completion', 'bash']);
    const words = line.split(' ');
    const script = `${stdout}
COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _poker_bridge; echo "\${COMPREPLY[*]}"`;
    const { stdout: completed, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect([completed.trim().split(' ').toSorted().join(' '), stderr]).toEqual([expected, '']);
  });

  it('refuses text that is not UTF-8', async () => {
    const input = Buffer.from([0x22, 0xff, 0x22]);
    const { code, stderr } = await runCli(['send', 'session.create', '--data', '-'], { input });
    expect([code, stderr]).toEqual([2, 'error: the standard input is not UTF-8\n']);
  });

  it('needs no settings for a subcommand that uses none', async () => {
    const variables = { AMQP_URL: 'nonsense', AMQP_PREFIX: 'amq.', SIGNATURE_SCALARS: 'json' };
    const input = '{"parameters":{"a":true}}';
    const { code, stdout } = await runCli(['sign', 'explain', '-', '--json'], { variables, input });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { canonical: '1' }]);
  });

  it('is the bin of the package, and starts by itself', () => {
    const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
    };
    const program = join(root, bin['poker-bridge'] ?? '');
    expect(() => accessSync(program, constants.X_OK)).not.toThrow();
    const { status, stdout } = spawnSync(process.execPath, [program, 'send', '--help'], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining('Usage: poker-bridge send')]);
    expect(spawnSync(process.execPath, [program, 'sned'], { encoding: 'utf8' }).status).toBe(2);
  });
});
