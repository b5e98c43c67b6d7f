import type { Command } from 'commander';

const EXAMPLES = `
A caller is a user of the broker. Make it first, with rabbitmqctl add_user; then:

  $ poker-bridge callers permissions callers.json
  $ poker-bridge callers permissions callers.json | sh

A caller gets its reply queues, those that begin with its name and a dot if the file names none, and an
exchange <caller>.commands, which Nest's client needs. No caller may write to the default exchange.`;

/** The group of what concerns callers. */
export function addCallers(program: Command): void {
  const callers = program.command('callers').description('says who may send what').helpCommand(false);
  callers
    .command('permissions')
    .summary('prints the permissions of callers on the broker')
    .description('Prints the rabbitmqctl lines that give each caller of a file the least that it needs.')
    .argument('[FILE]', 'the rules as JSON; default: the file of CALLERS_FILE')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined) => {
      const { callersPermissions } = await import('./callers-permissions.ts');
      callersPermissions(file);
    });
}
