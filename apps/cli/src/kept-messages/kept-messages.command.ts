import { type Command, InvalidArgumentError } from 'commander';

import { usageError } from '../exit.ts';
import { each, readCount, readMoment } from '../options.ts';
import type { ActionOptions } from './carry-out.ts';
import { type Change, readSet, readUnset } from './change-body.ts';
import type { SelectionOptions } from './kept-queue.ts';
import type { ListOptions, ShowOptions } from './look.ts';
import type { RedriveOptions } from './redrive.ts';

const JSON_LINES = 'one a line: {id, type, operator, reason, failedAt, queue, bytes}';
const MOST_A_SECOND = 200;
const DEFAULT_RATE = 50;
const MOST_LISTED = 1_000_000;

const SETTINGS = '\nSettings: AMQP_URL, AMQP_PREFIX, AMQP_TLS_CA, AMQP_TLS_CERT, AMQP_TLS_KEY';
const KEYS = ',\nand INTERNAL_KEY or all settings of the operators, as the workers have them.';

/** One of the two queues that keep messages for people. */
interface Group {
  readonly command: Command;
  readonly queue: 'deadLetters' | 'undelivered';
  readonly one: string;
  readonly many: string;
}

/** The commands that were given up. */
export function addDeadLetters(program: Command): void {
  const command = program
    .command('dead-letters')
    .description('looks into the dead letters, sends them back to work, or removes them')
    .helpCommand(false);
  const group: Group = { command, queue: 'deadLetters', one: 'dead letter', many: 'dead letters' };
  addLooks(group, ['list', 'list --reason PLATFORM_UNAVAILABLE --since 12h', 'list --json | jq -r .id']);
  const redrive = addSelection(group, 'redrive')
    .description('sends dead letters back to the lanes of their types, with a new deadline')
    .option(
      '--set <POINTER=VALUE>',
      'changes the data, as /session/lang=de does, or /player/id=@FILE; may be given again',
      each(change(readSet, 'It must be a JSON pointer, = and a value, such as /session/lang=de.')),
    )
    .option(
      '--unset <POINTER>',
      'removes a member of the data; may be given again',
      each(change(readUnset, 'It must be a JSON pointer, such as /session/lang.')),
    )
    .option('--force', 'also what would fail the same way');
  addAction(redrive, async (options: RedriveOptions) => (await import('./redrive.ts')).redrive(options));
  addExamples(
    group,
    redrive,
    [
      'redrive --reason PLATFORM_UNAVAILABLE --rate 5',
      'redrive --id 4711 --set /session/lang=de',
      'redrive --reason UNKNOWN_OPERATOR --force --dry-run',
    ],
    `
Says what it is about to do, and asks. What is wrong with a command itself would fail again, and is left unless it
is changed or forced. Ends with 1 if anything that was chosen is left.
${SETTINGS}${KEYS}`,
  );
  addDiscard(group, [
    'discard --reason MALFORMED_MESSAGE',
    'discard --caller shop --since 2026-03-01 --dry-run',
  ]);
}

/** The replies that nobody took. */
export function addReplies(program: Command): void {
  const command = program
    .command('replies')
    .description('looks into the parked replies, delivers or removes them')
    .helpCommand(false);
  const group: Group = { command, queue: 'undelivered', one: 'parked reply', many: 'parked replies' };
  addLooks(group, ['list', 'list --queue shop.replies']);
  const redeliver = addSelection(group, 'redeliver').description(
    'sends parked replies to their queues, as far as these exist again, under the same ids',
  );
  addAction(redeliver, async (options: ActionOptions) => (await import('./redrive.ts')).redeliver(options));
  addExamples(
    group,
    redeliver,
    ['redeliver --queue shop.replies', 'redeliver --all --yes'],
    `
Workers do this by themselves, within ten seconds after the queue exists. Ends with 1 if anything that was chosen is left.
${SETTINGS}${KEYS}`,
  );
  addDiscard(group, ['discard --reason EVENT_REFUSED']);
}

function addLooks(group: Group, examples: readonly string[]): void {
  const { command, queue, one, many } = group;
  const list = addSelection(group, 'list')
    .description(`counts the ${many} by reason and type, and lists the newest; changes nothing`)
    .option('--limit <N>', 'so many at most (default: 20; with --json all)', readCount(1, MOST_LISTED))
    .option('--json', JSON_LINES)
    .action(async (options: ListOptions) => {
      process.exitCode = await (await import('./look.ts')).list(queue, options);
    });
  addExamples(group, list, examples, `${SETTINGS}.`);
  command
    .command('show')
    .description(`shows the properties and headers of a ${one}; changes nothing`)
    .argument('<ID>', 'the id of the command')
    .option('--body', "the body as well, which may hold players' data and tokens")
    .option('--json', 'one a line: {properties, headers, violations, body}')
    .action(async (id: string, options: ShowOptions) => {
      process.exitCode = await (await import('./look.ts')).show(queue, id, options);
    });
}

function addDiscard(group: Group, examples: readonly string[]): void {
  const { queue, many } = group;
  const discard = addSelection(group, 'discard').description(`removes ${many} for good`);
  addAction(discard, async (options: ActionOptions) =>
    (await import('./redrive.ts')).discard(queue, options),
  );
  addExamples(group, discard, examples, `${SETTINGS}.`);
}

function addSelection({ command, queue }: Group, name: string): Command {
  const subcommand = command.command(name);
  const several = (flags: string, what: string): Command => subcommand.option(flags, what, each(String));
  several('--id <ID>', 'of this command; may be given again, like the next ones');
  several('--reason <CODE>', 'with this reason');
  several('--type <TYPE>', 'of this type');
  if (queue === 'deadLetters') several('--caller <USER>', 'of this caller');
  else several('--queue <NAME>', 'that were sent to this queue');
  return subcommand
    .option('--since <TIME>', 'failed since: 30m, 12h, 2d, or ISO 8601', readMoment)
    .option('--all', 'all of them');
}

function addAction<O extends ActionOptions>(command: Command, run: (options: O) => Promise<number>): void {
  command
    .option('--rate <N>', 'at most so many a second', readCount(1, MOST_A_SECOND), DEFAULT_RATE)
    .option('--dry-run', 'only says what it would do')
    .option('--yes', 'does not ask')
    .option('--json', JSON_LINES)
    .action(async (options: O) => {
      requireSelection(options);
      process.exitCode = await run(options);
    });
}

/** @throws ExitError if nothing is chosen, or everything and something */
function requireSelection({ all, id, reason, type, caller, queue, since }: SelectionOptions): void {
  const isNarrowed = [id, reason, type, caller, queue, since].some((option) => option !== undefined);
  if (all && isNarrowed) throw usageError('--all cannot be combined with another selection');
  if (!all && !isNarrowed)
    throw usageError('select by --id, --reason, --type or --since (--help has all options), or give --all');
}

function addExamples(group: Group, command: Command, lines: readonly string[], note: string): void {
  const examples = lines.map((line) => `  $ poker-bridge ${group.command.name()} ${line}`);
  command.addHelpText('after', ['', 'Examples:', ...examples, note].join('\n'));
}

function change(read: (text: string) => Change | undefined, rule: string): (text: string) => Change {
  return (text) => {
    const given = read(text);
    if (given) return given;
    throw new InvalidArgumentError(rule);
  };
}
