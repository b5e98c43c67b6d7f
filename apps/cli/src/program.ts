import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { inspect } from 'node:util';

import { Command, CommanderError } from 'commander';

import { addCallers } from './callers/callers.command.ts';
import { addCompletion } from './completion/completion.command.ts';
import { addDoctor } from './doctor/doctor.command.ts';
import { EXIT, ExitError } from './exit.ts';
import { addDeadLetters, addReplies } from './kept-messages/kept-messages.command.ts';
import { addReport } from './report/report.command.ts';
import { addSend } from './send/send.command.ts';
import { addSign } from './sign-explain/sign.command.ts';
import { addTrace } from './trace/trace.command.ts';

const ABOUT =
  'Sends commands over the bus, fetches reports into files, looks after dead letters and parked replies, explains ' +
  'signatures, says who may send what, follows a command through the log, and checks an installation.';

const EXAMPLES = `
Examples:
  $ poker-bridge send session.create --data '{"userId":"alice"}'
  $ poker-bridge report rake --month 2026-10 --out october.csv
  $ poker-bridge sign explain request.json
  $ poker-bridge sign probe
  $ poker-bridge dead-letters list
  $ poker-bridge callers permissions callers.json
  $ docker compose logs worker | poker-bridge trace --id 4711
  $ poker-bridge doctor

Exits with 0 on success, 1 if the reply is command.failed, 2 on wrong usage,
3 if no reply came in time, 78 on wrong settings.`;

/** Every subcommand; one more is one line here. */
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

/** The command line with all subcommands. */
export function createProgram(): Command {
  const program = new Command('poker-bridge')
    .description(ABOUT)
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

/** That of the package, whether built or not. */
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
