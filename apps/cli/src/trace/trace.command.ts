import type { Command } from 'commander';

import { usageError } from '../exit.ts';
import { readMoment } from '../options.ts';
import type { TraceOptions } from './trace.ts';

const EXAMPLES = `
The log comes on standard input, of any number of workers and in any order, with or without what docker compose and
kubectl put before each line. The lines are printed in order of time, after a sentence that says why something failed.

Examples:
  $ docker compose logs worker | poker-bridge trace --id 4711
  $ kubectl logs -l app.kubernetes.io/name=poker-bridge --prefix --tail -1 --since 2h | poker-bridge trace --player alice
  $ poker-bridge trace --since 2026-03-01T10:00:00Z --until 2026-03-01T10:05:00Z < worker.log
  $ cat worker-*.log | poker-bridge trace --player @player.txt --operator casino --json

--player needs LOG_SUBJECT_KEY, or LOG_SUBJECT_KEY_FILE, as the workers have it: a log names players by a keyed
hash. The other options need no setting. Ends with 1 if there is no such line.`;

export function addTrace(program: Command): void {
  program
    .command('trace')
    .description('prints what a log on standard input says about a command, a player or a stretch of time')
    .option('--id <ID>', 'the id of the command, or its correlation id')
    .option('--player <ID>', 'the id of the player, or @FILE')
    .option('--operator <NAME>', "the player's operator", 'default')
    .option('--since <TIME>', 'from here on: 30m, 12h, 2d, or ISO 8601', readMoment)
    .option('--until <TIME>', 'up to here', readMoment)
    .option('--json', 'these lines alone, as they were logged')
    .addHelpText('after', EXAMPLES)
    .action(async (options: TraceOptions) => {
      const { id, player, since, until } = options;
      if (id !== undefined && player !== undefined) throw usageError('say either --id or --player');
      if ([id, player, since, until].every((option) => option === undefined)) {
        throw usageError('say --id, --player, --since or --until');
      }
      const { trace } = await import('./trace.ts');
      process.exitCode = await trace(options);
    });
}
