import type { Command } from 'commander';

const EXAMPLES = `
It uses the settings of a worker, and changes nothing: neither on the broker nor on the platform, which it asks for one
record of the ad hoc report.

  $ poker-bridge doctor
  $ poker-bridge doctor --json | jq 'select(.state != "ok")'

Exits with 0 if nothing is at fault, 1 if something is, 78 if a setting is.`;

/** The check of everything that a worker needs. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('checks settings, broker, Redis and platform')
    .description(
      'Checks settings, broker, topology, Redis and platform, and says what to do about each fault.',
    )
    .option('--json', 'one finding a line: {subject, state, message, advice}')
    .addHelpText('after', EXAMPLES)
    .action(async ({ json = false }: { json?: boolean }) => {
      const { doctor } = await import('./doctor.ts');
      process.exitCode = await doctor(json);
    });
}
