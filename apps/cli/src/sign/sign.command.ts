import type { Command } from 'commander';

import { signExplain } from './sign-explain.ts';
import { signProbe } from './sign-probe.ts';

const HELP = `
Examples:
  $ poker-bridge sign explain request.json
  $ poker-bridge sign explain --curl "curl -H 'sign: 9de6…' -d userId=u-1 'https://…/v2/app/users/u-1/session?clientId=op1'"
  $ poker-bridge sign explain --har browser.har
  $ nc -l 8080 | poker-bridge sign explain --request -
  $ poker-bridge sign explain --command game.open --data '{"player":{"id":"alice"},"session":{"id":"s-1"}}'
  $ echo '{"parameters":{"clientId":"op1","userId":"u-1"},"secret":"s"}' | poker-bridge sign explain -
  $ poker-bridge sign probe --yes > settings.env
  $ poker-bridge sign probe --operator casino --player test-1 --currency EUR --json

FILE contains {"name"?, "parameters", "secret"?, "settings"?, "sign"?}, or an array of them: all parameters of a
request from query, path and body. Exits with 1 if the given signature is wrong. The secret is never printed.

Requests and commands are signed with PLATFORM_SECRET_KEY (or PLATFORM_SECRET_KEY_FILE) and the settings that start
with SIGNATURE_. A command also needs PLATFORM_CLIENT_ID, and --operator needs all settings of a worker.

probe makes at most 16 calls as a worker does: it reads one record of each report, and requests sessions and games
that the platform rejects for their authType once the signature is right. It prints the lines to set, or the questions
to ask and exits with 1. With --player it also opens a session and a game, at most three times each, and finds the
settings with which the responses can be read. Use a test environment: a platform may count wrong signatures, and
block their sender.`;

export function define(group: Command): void {
  group.addHelpText('afterAll', HELP);
  group
    .command('explain')
    .description('shows how a request is signed, and the digests of the usual mistakes')
    .argument('[FILE]', 'the request, or - for standard input')
    .option('--curl <LINE>', 'a curl line, or a file that contains one, or -')
    .option('--har <FILE>', 'an HTTP archive, as browsers and proxies save it')
    .option('--request <FILE>', 'a raw HTTP request')
    .option('--command <TYPE>', 'a command, signed with the settings of the worker')
    .option('--data <JSON>', "the command's data: JSON, @FILE, or -")
    .option('--operator <NAME>', 'the operator whose secret key and settings are used (default: default)')
    .option('--json', 'the rows as JSON, with canonical and sign')
    .action(signExplain);
  group
    .command('probe')
    .description(
      'finds the settings that a platform accepts, with at most 16 calls that change nothing; --player opens a session',
    )
    .option('--operator <NAME>', 'the operator whose client id and secret key are used', 'default')
    .option('--player <ID>', 'also opens a session and a game for this test player, to check the responses')
    .option('--currency <CODE>', 'the currency of that player')
    .option('--yes', 'continues although the platform is not on this machine')
    .option('--json', 'one object: each variable and its value')
    .action(signProbe);
}
