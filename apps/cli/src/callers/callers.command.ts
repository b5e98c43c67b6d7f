import type { Command } from 'commander';

const EXAMPLES = `
The worker is the user of AMQP_URL, and a caller is a user of the broker. Create them first, with rabbitmqctl
add_user; then:

  $ poker-bridge callers permissions callers.json
  $ poker-bridge callers permissions callers.json | sh

A caller gets its reply queues, an exchange <caller>.commands, which Nest's client needs, and that of the
commands. If the file names no reply queues, they begin with its name and a dot, or are named by the broker.
No caller may write to the default exchange.`;

/** The group of what concerns callers. */
export function addCallers(program: Command): void {
  const callers = program.command('callers').description('says who may send what').helpCommand(false);
  callers
    .command('permissions')
    .summary('prints the permissions of callers on the broker')
    .description('Prints the rabbitmqctl lines that give the worker and each caller the least that it needs.')
    .argument('[FILE]', 'the rules as JSON; default: the file of CALLERS_FILE')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined) => {
      const { callersPermissions } = await import('./callers-permissions.ts');
      callersPermissions(file);
    });
}
