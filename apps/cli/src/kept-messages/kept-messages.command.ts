import { type Command, Option } from 'commander';

import { usageError } from '../exit.ts';
import { each, readCount, readMoment } from '../options.ts';
import type { ActionOptions } from './carry-out.ts';
import { readSet, readUnset } from './change-body.ts';
import { NOUNS, type QueueName, type SelectionOptions } from './kept-queue.ts';
import { list, type ListOptions, show, type ShowOptions } from './look.ts';
import { discard, redeliver, redrive } from './redrive.ts';

const JSON_LINES = 'one a line: {id, type, operator, reason, failedAt, queue, bytes}';
const MOST_A_SECOND = 200;
const DEFAULT_RATE = 50;
const MOST_LISTED = 1_000_000;

const KEYS = 'It needs INTERNAL_KEY or all settings of the operators, as the workers have them.';

export function define(group: Command): void {
  if (group.name() === 'replies') defineReplies(group);
  else defineDeadLetters(group);
}

/** The commands that were given up. */
function defineDeadLetters(group: Command): void {
  addLooks(group, 'deadLetters', [
    'list',
    'list --reason PLATFORM_UNAVAILABLE --since 12h',
    'list --json | jq -r .id',
  ]);
  const command = addSelection(group, 'deadLetters', 'redrive')
    .description('sends dead letters back to the lanes of their types, with a new deadline')
    .option(
      '--set <POINTER=VALUE>',
      'changes the data, as /session/lang=de does, or /player/id=@FILE; may be given again',
      each(readSet),
    )
    .option('--unset <POINTER>', 'removes a member of the data; may be given again', each(readUnset))
    .option('--force', 'also what would fail the same way');
  addAction(command, redrive);
  addExamples(
    command,
    [
      'redrive --reason PLATFORM_UNAVAILABLE --rate 5',
      'redrive --id 4711 --set /session/lang=de',
      'redrive --reason UNKNOWN_OPERATOR --force --dry-run',
    ],
    `
Says what it is about to do, and asks. What is wrong with a command itself would fail again, and is left unless it
is changed or forced. Ends with 1 if anything that was chosen is left.
${KEYS}`,
  );
  addDiscard(group, 'deadLetters', [
    'discard --reason MALFORMED_MESSAGE',
    'discard --caller shop --since 2026-03-01 --dry-run',
  ]);
}

/** The replies that nobody took. */
function defineReplies(group: Command): void {
  addLooks(group, 'undelivered', ['list', 'list --queue shop.replies']);
  const command = addSelection(group, 'undelivered', 'redeliver').description(
    'sends parked replies to their queues, as far as these exist again, under the same ids',
  );
  addAction(command, redeliver);
  addExamples(
    command,
    ['redeliver --queue shop.replies', 'redeliver --all --yes'],
    `
Workers do this by themselves, within ten seconds after the queue exists. Ends with 1 if anything that was chosen is left.
${KEYS}`,
  );
  addDiscard(group, 'undelivered', ['discard --reason EVENT_REFUSED']);
}

function addLooks(group: Command, queue: QueueName, examples: readonly string[]): void {
  const [one, many] = NOUNS[queue];
  const command = addSelection(group, queue, 'list')
    .description(`counts the ${many} by reason and type, and lists the newest; changes nothing`)
    .option('--limit <N>', 'so many at most (default: 20; with --json all)', readCount(1, MOST_LISTED))
    .option('--json', JSON_LINES)
    .action((options: ListOptions) => list(queue, options));
  addExamples(command, examples);
  group
    .command('show')
    .description(`shows the properties and headers of a ${one}; changes nothing`)
    .argument('<ID>', 'the id of the command')
    .option('--body', "the body as well, which may hold players' data and tokens")
    .option('--json', 'one a line: {properties, headers, violations, body}')
    .action((id: string, options: ShowOptions) => show(queue, id, options));
}

function addDiscard(group: Command, queue: QueueName, examples: readonly string[]): void {
  const command = addSelection(group, queue, 'discard').description(`removes ${NOUNS[queue][1]} for good`);
  addAction(command, (options: ActionOptions) => discard(queue, options));
  addExamples(command, examples);
}

function addSelection(group: Command, queue: QueueName, name: string): Command {
  const command = group.command(name);
  const several = (flags: string, what: string): Command => command.option(flags, what, each(String));
  several('--id <ID>', 'of this command; may be given again, like the next ones');
  several('--reason <CODE>', 'with this reason');
  several('--type <TYPE>', 'of this type');
  if (queue === 'deadLetters') several('--caller <USER>', 'of this caller');
  else several('--queue <NAME>', 'that were sent to this queue');
  command.option('--since <TIME>', 'failed since: 30m, 12h, 2d, or ISO 8601', readMoment);
  const others = command.options.map((option) => option.attributeName());
  return command.addOption(new Option('--all', 'all of them').conflicts(others));
}

function addAction<O extends ActionOptions>(command: Command, run: (options: O) => Promise<void>): void {
  command
    .option('--rate <N>', 'at most so many a second', readCount(1, MOST_A_SECOND), DEFAULT_RATE)
    .option('--dry-run', 'only says what it would do')
    .option('--yes', 'does not ask')
    .option('--json', JSON_LINES)
    .action((options: O) => {
      requireSelection(options);
      return run(options);
    });
}

/** @throws ExitError if nothing is chosen */
function requireSelection({ all, id, reason, type, caller, queue, since }: SelectionOptions): void {
  if ([all, id, reason, type, caller, queue, since].some((option) => option !== undefined)) return;
  throw usageError('select by --id, --reason, --type or --since (--help has all options), or give --all');
}

function addExamples(command: Command, lines: readonly string[], note = ''): void {
  const examples = lines.map((line) => `  $ poker-bridge ${command.parent?.name()} ${line}`);
  command.addHelpText('after', ['', 'Examples:', ...examples, note].join('\n'));
}
