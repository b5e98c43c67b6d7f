import type { Command } from 'commander';

import { readDeadline } from '../options.ts';

const DEADLINE_MS = 60_000;

const EXAMPLES = `
Examples:
  $ poker-bridge doctor
  $ poker-bridge doctor --json | jq 'select(.state != "ok")'

It uses the settings of a worker, and changes nothing on the broker. The platform is asked for one record of each report, and
for a session and a game of the player poker-bridge-doctor with an authType that does not exist, which it refuses.
Exits with 0 if nothing is at fault, 1 if something is, 78 if a setting is.`;

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'checks settings, broker, topology, Redis and platform, and says what to do about each fault',
    )
    .option('--deadline-ms <MS>', 'how long all of it may take', readDeadline, DEADLINE_MS)
    .option('--json', 'one finding a line: {subject, state, message, advice}')
    .addHelpText('after', EXAMPLES)
    .action(async ({ json = false, deadlineMs }: { json?: boolean; deadlineMs: number }) => {
      const { doctor } = await import('./doctor.ts');
      process.exitCode = await doctor(json, deadlineMs);
      // What was not answered in time would keep the process.
      process.exit();
    });
}
