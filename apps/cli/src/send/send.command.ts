import { type Command, InvalidArgumentError } from 'commander';

import type { SendOptions } from './send-options.ts';

/** The longest that a command may live. Source: bus contract, section 2. */
const LONGEST_DEADLINE_MS = 20 * 60 * 1000;
const LONGEST_ID_BYTES = 200;

const EXAMPLES = `
TYPE is session.create, game.open, report.ad-hoc.fetch or report.rake.fetch;
docs/messages.md lists the members of each.

Examples:
  $ poker-bridge send session.create --data '{"userId":"alice"}'
  $ poker-bridge send game.open --data @table.json --operator casino
  $ echo '{"player":{"id":"alice"}}' | poker-bridge send game.open --data - --deadline-ms 3000
  $ poker-bridge send report.rake.fetch --json \\
      --data '{"dateFrom":"2026-03-01 00:00:00","dateTo":"2026-03-02 00:00:00"}'

Settings: AMQP_URL, AMQP_PREFIX.`;

export function addSend(program: Command): void {
  program
    .command('send')
    .summary('sends one command over the bus and prints its replies')
    .description('Sends one command over the bus and prints its replies as they come.')
    .argument('<TYPE>', 'of the command, for example session.create')
    .requiredOption('--data <JSON>', "the command's data: JSON, @FILE, or - for the standard input")
    .option('--operator <NAME>', 'whose credentials the worker uses (default: its own default)')
    .option('--id <ID>', 'the identity: the same id is the same command (default: a new one)', readId)
    .option(
      '--deadline-ms <MS>',
      'when nobody wants the answer any more, from now (default: 15000, reports 600000)',
      readDeadlineMs,
    )
    .option('--json', 'one reply a line: {type, messageId, correlationId, headers, body}')
    .addHelpText('after', EXAMPLES)
    .action(async (type: string, options: SendOptions) => {
      const { send } = await import('./send.ts');
      process.exitCode = await send(type, options);
    });
}

function readId(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes >= 1 && bytes <= LONGEST_ID_BYTES) return text;
  throw new InvalidArgumentError(`It must have 1 to ${LONGEST_ID_BYTES} bytes.`);
}

function readDeadlineMs(text: string): number {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= LONGEST_DEADLINE_MS) return number;
  throw new InvalidArgumentError(`It must be an integer from 1 to ${LONGEST_DEADLINE_MS}.`);
}
