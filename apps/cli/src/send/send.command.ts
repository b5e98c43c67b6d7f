import { type Command, InvalidArgumentError } from 'commander';

import { readDeadline } from '../options.ts';
import type { SendOptions } from './send.ts';

const LONGEST_ID_BYTES = 200;

export function addSend(program: Command): void {
  const command = program.command('send');
  // Loaded for this subcommand only, because it takes longer than everything else here.
  program.hook('preSubcommand', async (_program, subcommand) => {
    if (subcommand !== command) return;
    const { sendHelp } = await import('./send-help.ts');
    command.addHelpText('after', sendHelp());
  });
  command
    .description('sends one command over the bus and prints its replies as they arrive')
    .argument('<TYPE>', 'the command, one of those below')
    .requiredOption('--data <JSON>', "the command's data: JSON, @FILE, or - for standard input")
    .option('--operator <NAME>', 'whose credentials the worker uses (default: its own default)')
    .option('--id <ID>', 'the identity: the same id is the same command (default: a new one)', readId)
    .option(
      '--deadline-ms <MS>',
      'how long to wait for the reply, from now (default: 15000, reports 600000)',
      readDeadline,
    )
    .option('--json', 'one reply a line: {type, messageId, correlationId, headers, body}')
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
