import { type Command, Option } from 'commander';

import { usageError } from '../exit.ts';
import { each, readCount, readMoment } from '../input.ts';
import { type ActionOptions, carryOut } from './carry-out.ts';
import { list, type ListOptions, NOUNS, type QueueName, show, type ShowOptions } from './list.ts';
import { readSet, readUnset, redeliver, redrive, type RedriveOptions } from './redrive.ts';

const KEYS = 'needs INTERNAL_KEY, or all settings of the operators, as the workers have them';
const DEAD_LETTERS_HELP = `
Examples:
  $ poker-bridge dead-letters list --reason PLATFORM_UNAVAILABLE --since 12h
  $ poker-bridge dead-letters list --json | jq -r .id
  $ poker-bridge dead-letters redrive --reason PLATFORM_UNAVAILABLE --rate 5
  $ poker-bridge dead-letters redrive --id 4711 --set /session/lang=de
  $ poker-bridge dead-letters redrive --reason UNKNOWN_OPERATOR --force --dry-run
  $ poker-bridge dead-letters discard --caller shop --since 2026-03-01 --dry-run

redrive and discard print counts and ask for confirmation; they exit with 1 if any selected message is left. An
invalid command would fail again; it is left unless it is changed or forced.
redrive ${KEYS}.`;
const REPLIES_HELP = `
Examples:
  $ poker-bridge replies list --queue shop.replies
  $ poker-bridge replies redeliver --queue shop.replies
  $ poker-bridge replies redeliver --all --yes
  $ poker-bridge replies discard --reason EVENT_REFUSED

Workers deliver parked replies by themselves, within ten seconds after their queue exists again. redeliver and discard
exit with 1 if any selected reply is left.
redeliver ${KEYS}.`;
const JSON_LINES = 'one object a line: {id, type, operator, reason, failedAt, queue, bytes}';
const MOST_A_SECOND = 200;
const DEFAULT_RATE = 50;
const MOST_LISTED = 1_000_000;

export function define(group: Command): void {
  const isReplies = group.name() === 'replies';
  const queue: QueueName = isReplies ? 'undelivered' : 'deadLetters';
  const [one, many] = NOUNS[queue];
  group.addHelpText('afterAll', isReplies ? REPLIES_HELP : DEAD_LETTERS_HELP);
  addSelection(group, 'list')
    .description(`counts the ${many} by reason and type, and lists the newest; changes nothing`)
    .option('--limit <N>', 'only the newest (default: 20; with --json all)', readCount(1, MOST_LISTED))
    .option('--json', JSON_LINES)
    .action((options: ListOptions) => list(queue, options));
  group
    .command('show')
    .description(`shows the properties and headers of a ${one}; changes nothing`)
    .argument('<ID>', 'the id of the command')
    .option('--body', "the body as well, which may hold players' data and tokens")
    .option('--json', 'one object a line: {properties, headers, violations, body}')
    .action((id: string, options: ShowOptions) => show(queue, id, options));
  if (isReplies) {
    addAction(group, 'redeliver', redeliver).description('delivers parked replies whose queues exist again');
  } else {
    const set = 'changes the data, as in /session/lang=de or /player/id=@FILE; may be repeated';
    addAction(group, 'redrive', redrive)
      .description('sends dead letters back to the lanes of their types, with a new deadline')
      .option('--set <POINTER=VALUE>', set, each(readSet))
      .option('--unset <POINTER>', 'removes a member of the data; may be repeated', each(readUnset))
      .option('--force', 'also commands that would fail again');
  }
  const discard = (options: ActionOptions) =>
    carryOut(options, { queue, verb: 'Discard', done: 'discarded' });
  addAction(group, 'discard', discard).description(`removes ${many} for good`);
}

function addSelection(group: Command, name: string): Command {
  const [flags, description] =
    group.name() === 'replies'
      ? ['--queue <NAME>', 'sent to this queue']
      : ['--caller <USER>', 'of this caller'];
  const command = group
    .command(name)
    .option('--id <ID>', 'of this command; may be repeated, like the next three options', each(String))
    .option('--reason <CODE>', 'with this reason', each(String))
    .option('--type <TYPE>', 'of this type', each(String))
    .option(flags, description, each(String))
    .option('--since <TIME>', 'failed since then: 30m, 12h or 2d ago, or ISO 8601', readMoment);
  const others = command.options.map((option) => option.attributeName());
  return command.addOption(new Option('--all', 'all of them').conflicts(others));
}

/** @param run called if the options select messages */
function addAction(group: Command, name: string, run: (options: RedriveOptions) => Promise<void>): Command {
  const command = addSelection(group, name);
  const choices = command.options.map((option) => option.attributeName());
  return command
    .option('--rate <N>', 'at most this many a second', readCount(1, MOST_A_SECOND), DEFAULT_RATE)
    .option('--dry-run', 'prints the plan and changes nothing')
    .option('--yes', 'does not ask')
    .option('--json', JSON_LINES)
    .action((options: RedriveOptions) => {
      if (choices.some((choice) => Object.hasOwn(options, choice))) return run(options);
      throw usageError('select by --id, --reason, --type or --since (--help has all options), or give --all');
    });
}
