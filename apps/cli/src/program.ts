import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { inspect } from 'node:util';

import { Command, CommanderError } from 'commander';

import { addDoctor } from './doctor/doctor.command.ts';
import { EXIT, ExitError, usageError } from './exit.ts';
import { addDeadLetters, addReplies } from './kept-messages/kept-messages.command.ts';
import { addReport } from './report/report.command.ts';
import { addSend } from './send/send.command.ts';
import { addSign } from './sign/sign.command.ts';
import { addTrace } from './trace/trace.command.ts';

const EXAMPLES = `
Examples:
  $ poker-bridge send session.create --data '{"userId":"alice"}'
  $ poker-bridge report rake --month 2026-10 --out october.csv
  $ poker-bridge dead-letters list
  $ docker compose logs worker | poker-bridge trace --id 4711
  $ poker-bridge doctor

Exits with 0 on success, 1 if the reply is command.failed, 2 on wrong usage,
3 if no reply came in time, 78 on wrong settings.`;

const CALLERS_EXAMPLES = `
Examples:
  $ poker-bridge callers permissions callers.json
  $ poker-bridge callers permissions callers.json | sh

Create the users first, with rabbitmqctl add_user: the worker is the user of AMQP_URL, and each caller is one.
A caller gets its reply queues (by default those that begin with its name and a dot, or are named by the broker),
an exchange <caller>.commands, which Nest's client needs, and that of the commands.`;

const COMPLETION_EXAMPLES = `
Examples:
  $ poker-bridge completion bash >> ~/.bashrc
  $ poker-bridge completion zsh >> ~/.zshrc`;

const SUBCOMMANDS: readonly ((program: Command) => void)[] = [
  addSend,
  addReport,
  addSign,
  addDeadLetters,
  addReplies,
  addCallers,
  addTrace,
  addDoctor,
  addCompletion,
];

export function createProgram(): Command {
  const program = new Command('poker-bridge')
    .description(
      'Commands, reports, dead letters, signatures, permissions and logs of the service, and a check of it.',
    )
    .exitOverride()
    .showHelpAfterError('(--help shows how it is used)')
    .helpCommand('help [subcommand]', 'shows how a subcommand is used')
    .helpOption('-h, --help', 'shows this')
    .version(versionOf(), '-V, --version', 'prints the version')
    .addHelpText('after', EXAMPLES);
  for (const add of SUBCOMMANDS) add(program);
  return program;
}

/** Runs the command line and sets the exit code of the process. */
export async function run(args: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(withHelpAsOption(args), { from: 'user' });
  } catch (error) {
    process.exitCode = await exitCodeOf(error);
  }
}

function addCallers(program: Command): void {
  const callers = program.command('callers').description('says who may send what').helpCommand(false);
  callers
    .command('permissions')
    .description('prints the rabbitmqctl lines that give the worker and each caller the least that it needs')
    .argument('[FILE]', 'the rules as JSON; default: the file of CALLERS_FILE')
    .addHelpText('after', CALLERS_EXAMPLES)
    .action(async (file: string | undefined) => {
      const { callersPermissions } = await import('./callers/callers-permissions.ts');
      callersPermissions(file);
    });
}

function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('prints what makes a shell complete subcommands, options and types of commands')
    .argument('<SHELL>', 'bash or zsh')
    .addHelpText('after', COMPLETION_EXAMPLES)
    .action(async (shell: string) => {
      const { completionScript } = await import('./completion-script.ts');
      const script = completionScript(program, shell);
      if (script === undefined) throw usageError('SHELL is bash or zsh');
      process.stdout.write(script);
    });
}

function versionOf(): string {
  const path = findPackageJSON('.', import.meta.url) ?? '';
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}

/** Turns `help send` into `send --help`: for the former commander runs no hooks, and one of them loads the help text. */
function withHelpAsOption(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  return first === 'help' && rest.length > 0 ? [...rest, '--help'] : args;
}

async function exitCodeOf(thrown: unknown): Promise<number> {
  // Commander has printed it already.
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.success : EXIT.usage;
  // Loaded for a fault only: it knows the settings and the bus.
  const { exitOfFault } = await import('./exit-of-fault.ts');
  const error = exitOfFault(thrown);
  const isExpected = error instanceof ExitError;
  process.stderr.write(`${isExpected ? error.message : inspect(error)}\n`);
  return isExpected ? error.exitCode : EXIT.internal;
}
