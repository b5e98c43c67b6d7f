import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { inspect } from 'node:util';

import { Command, CommanderError } from 'commander';

import { EXIT } from './exit.ts';

const EXAMPLES = `
Examples:
  $ poker-bridge send session.create --data '{"userId":"alice"}'
  $ poker-bridge report rake --month 2026-10 --out october.csv
  $ poker-bridge dead-letters list
  $ docker compose logs worker | poker-bridge trace --id 4711
  $ poker-bridge doctor

Exits with 0 on success, 1 if the reply is command.failed, 2 on wrong usage,
3 if no reply came in time, 78 on wrong settings. send, report, dead-letters and
replies use the settings of the broker: AMQP_URL, AMQP_PREFIX, AMQP_TLS_CA,
AMQP_TLS_CERT and AMQP_TLS_KEY. docs/command-line.md has those of the others.`;

type Load = () => Promise<{ readonly define: (command: Command) => void }>;

const loadKept: Load = () => import('./kept-messages/kept-messages.command.ts');
/** A description of each subcommand, and its module, which is loaded on demand: all of them take a second. */
const SUBCOMMANDS: Readonly<Record<string, readonly [description: string, load: Load]>> = {
  send: ['sends one command over the bus and prints its replies as they arrive', () => import('./send.ts')],
  report: ['fetches a whole report into a file', () => import('./report/report.ts')],
  sign: ['explains signatures, and finds the settings of a platform', () => import('./sign/sign.command.ts')],
  'dead-letters': ['looks into the dead letters, sends them back to work, or removes them', loadKept],
  replies: ['looks into the parked replies, delivers them, or removes them', loadKept],
  callers: ['prints the permissions that the worker and its callers need', () => import('./callers.ts')],
  trace: [
    'prints what a log on standard input says about a command, a player or a stretch of time',
    () => import('./trace/trace.ts'),
  ],
  doctor: [
    'checks settings, broker, topology, Redis and platform, and says what to do about each fault',
    () => import('./doctor/doctor.ts'),
  ],
};

/** @param used the subcommand to define with arguments and options. Default: all of them */
export async function createProgram(used?: string): Promise<Command> {
  const program = new Command('poker-bridge')
    .description('Sends commands, fetches reports, explains what failed, and checks the service.')
    .exitOverride()
    .showHelpAfterError('(--help shows how it is used)')
    .helpCommand('help [subcommand]', 'shows how a subcommand is used')
    .helpOption('-h, --help', 'shows this')
    .version(versionOf(), '-V, --version', 'prints the version')
    .addHelpText('after', EXAMPLES);
  for (const [name, [description, load]] of Object.entries(SUBCOMMANDS)) {
    const command = program.command(name).description(description).helpCommand(false);
    if (used === undefined || used === name) (await load()).define(command);
  }
  return program;
}

export async function run(args: readonly string[]): Promise<void> {
  try {
    const name = args[args[0] === 'help' ? 1 : 0] ?? '';
    const program = await createProgram(name);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = await exitCodeOf(error);
  }
}

function versionOf(): string {
  const path = findPackageJSON('.', import.meta.url) ?? '';
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}

async function exitCodeOf(thrown: unknown): Promise<number> {
  // Commander has already printed the error.
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.success : EXIT.usage;
  // Loaded only after a fault, because it imports settings and bus.
  const { exitOfFault } = await import('./servers.ts');
  const expected = exitOfFault(thrown);
  process.stderr.write(`${expected?.message ?? inspect(thrown)}\n`);
  return expected?.exitCode ?? EXIT.internal;
}
