import type { Command } from 'commander';

const EXAMPLES = `
FILE holds {"name"?, "parameters", "secret"?, "settings"?}, or an array of them: all parameters of a
request from query, path and body. Without a secret there is a string to sign, and no digest. settings
are those of docs/settings.md that begin with SIGNATURE_; if there is a "sign", it is compared.

Examples:
  $ poker-bridge sign explain request.json
  $ poker-bridge sign explain requests.json --json
  $ echo '{"parameters":{"clientId":"op1","userId":"u-1"},"secret":"s"}' | poker-bridge sign explain -
  $ echo '{"parameters":{"client":"op1","data":{"type":"OpenGame","attributes":{"player":{"id":"u-1"}}}},
      "settings":{"SIGNATURE_OPEN_GAME_CLIENT":"drop"}}' | poker-bridge sign explain -

The secret is never printed.`;

/** The group of subcommands about signatures. */
export function addSign(program: Command): void {
  const sign = program.command('sign').description('explains signatures').helpCommand(false);
  sign
    .command('explain')
    .summary('shows how a request is signed')
    .description(
      'Shows how a request is signed: what was kept and dropped and why, the ordered pieces, the\n' +
        'canonical string, the digest, and what the usual mistakes would give instead.',
    )
    .argument('<FILE>', 'the request as JSON, or - for standard input')
    .option('--json', 'the same rows with canonical and sign')
    .addHelpText('after', EXAMPLES)
    .action(async (path: string, options: { json?: true }) => {
      const { signExplain } = await import('./sign-explain.ts');
      await signExplain(path, options.json ?? false);
    });
}
