import type { Command } from 'commander';

import { usageError } from '../exit.ts';
import type { TraceOptions } from './trace.ts';

const EXAMPLES = `
The log comes on standard input, with or without what docker compose and kubectl put before each line.

Examples:
  $ docker compose logs worker | poker-bridge trace --id 4711
  $ kubectl logs -l app=poker-bridge --prefix --since 2h | poker-bridge trace --player alice
  $ poker-bridge trace --player @player.txt --operator casino --json < worker.log

--player needs LOG_SUBJECT_KEY, or LOG_SUBJECT_KEY_FILE, as the workers have it: a log names players by a keyed
hash. --id needs no setting. Ends with 1 if there is no such line.`;

/** Follows a command or a player through the log. */
export function addTrace(program: Command): void {
  program
    .command('trace')
    .summary('follows a command or a player through the log')
    .description('Prints the lines of a log, from standard input, that are about a command or a player.')
    .option('--id <ID>', 'the id of the command, or its correlation id')
    .option('--player <ID>', 'the id of the player, or @FILE')
    .option('--operator <NAME>', "the player's operator", 'default')
    .option('--json', 'the lines as they were logged')
    .addHelpText('after', EXAMPLES)
    .action(async (options: TraceOptions) => {
      if ((options.id === undefined) === (options.player === undefined)) {
        throw usageError('say either --id or --player');
      }
      const { trace } = await import('./trace.ts');
      process.exitCode = await trace(options);
    });
}
