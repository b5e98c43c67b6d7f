import { type Command, InvalidArgumentError } from 'commander';

import { readCount } from '../input/read-count.ts';
import type { ActionOptions } from './carry-out.ts';
import { type Change, readSet, readUnset, type SetOption } from './change-body.ts';
import type { ListOptions, ShowOptions } from './look.ts';
import type { RedriveOptions } from './redrive.ts';
import { addSelection, type Kind, requireSelection, type SelectionOptions } from './selection.ts';

const JSON_LINES = 'one a line: {id, type, operator, reason, failedAt, queue, bytes}';
const MOST_A_SECOND = 200;
const DEFAULT_RATE = 50;
const MOST_LISTED = 1_000_000;

const BROKER = 'AMQP_URL, AMQP_PREFIX, AMQP_TLS_CA, AMQP_TLS_CERT, AMQP_TLS_KEY';
const SETTINGS = `Settings: ${BROKER}.`;
const KEYED = `Settings: ${BROKER},
and INTERNAL_KEY or all settings of the operators, as the workers have them.`;

/** One of the two queues that keep messages for people. */
interface Group {
  readonly command: Command;
  readonly queue: 'deadLetters' | 'undelivered';
  readonly noun: readonly [one: string, many: Kind];
}

/** The commands that were given up. */
export function addDeadLetters(program: Command): void {
  const command = program
    .command('dead-letters')
    .description('looks into the dead letters, sends them back to work, or removes them')
    .helpCommand(false);
  const group: Group = { command, queue: 'deadLetters', noun: ['dead letter', 'dead letters'] };
  addLooks(group, ['list', 'list --reason PLATFORM_UNAVAILABLE --since 12h', 'list --json | jq -r .id']);
  const redrive = addSelection(command.command('redrive'), group.noun[1])
    .summary('sends dead letters back to their lanes')
    .description('Sends dead letters back to the lanes of their types, with a new deadline.')
    .option(
      '--set <POINTER=VALUE>',
      'changes the data, as /session/lang=de does, or /player/id=@FILE; may be given again',
      collectSet,
    )
    .option('--unset <POINTER>', 'removes a member of the data; may be given again', collectUnset)
    .option('--force', 'also what would fail the same way');
  const examples = [
    'redrive --reason PLATFORM_UNAVAILABLE --rate 5',
    'redrive --id 4711 --set /session/lang=de',
    'redrive --reason UNKNOWN_OPERATOR --force --dry-run',
  ];
  const note = `
Tells what it is about to do, and asks. What is wrong with a command itself would fail again, and is left unless it
is changed or forced. Ends with 1 if anything that was chosen is left.
`;
  addAction(redrive, examplesOf(group, examples, `${note}\n${KEYED}`)).action(
    async (options: RedriveOptions) => {
      const { redrive: run } = await import('./redrive.ts');
      process.exitCode = await run(group.noun, options);
    },
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
  const group: Group = { command, queue: 'undelivered', noun: ['parked reply', 'parked replies'] };
  addLooks(group, ['list', 'list --queue shop.replies']);
  const redeliver = addSelection(command.command('redeliver'), group.noun[1])
    .summary('sends parked replies to their queues')
    .description(
      'Sends parked replies to their reply queues, as far as these exist again, under the same ids.',
    );
  const note = `
Workers do this by themselves, within ten seconds after the queue exists. Ends with 1 if anything that was chosen is left.
`;
  const examples = ['redeliver --queue shop.replies', 'redeliver --all --yes'];
  addAction(redeliver, examplesOf(group, examples, `${note}\n${KEYED}`)).action(
    async (options: ActionOptions) => {
      const { redeliver: run } = await import('./redrive.ts');
      process.exitCode = await run(group.noun, options);
    },
  );
  addDiscard(group, ['discard --reason EVENT_REFUSED']);
}

function addLooks(group: Group, examples: readonly string[]): void {
  const { command, queue, noun } = group;
  addSelection(command.command('list'), noun[1])
    .summary(`counts and lists the ${noun[1]}`)
    .description(
      `Counts the ${noun[1]} by reason and type, and lists the newest, oldest first. It changes nothing.`,
    )
    .option('--limit <N>', 'so many at most (default: 20; with --json all)', readCount(1, MOST_LISTED))
    .option('--json', JSON_LINES)
    .addHelpText('after', examplesOf(group, examples, `\n${SETTINGS}`))
    .action(async (options: ListOptions) => {
      const { list } = await import('./look.ts');
      process.exitCode = await list(queue, noun, options);
    });
  command
    .command('show')
    .summary(`shows one ${noun[0]}`)
    .description(
      `Shows the properties and headers of a ${noun[0]}, and its body if that is wanted. It changes nothing.`,
    )
    .argument('<ID>', 'the id of the command')
    .option('--body', "the body as well, which may hold players' data and tokens")
    .option('--json', 'one a line: {properties, headers, violations, body}')
    .action(async (id: string, options: ShowOptions) => {
      const { show } = await import('./look.ts');
      process.exitCode = await show(queue, noun, id, options);
    });
}

function addDiscard(group: Group, examples: readonly string[]): void {
  const { queue, noun } = group;
  const command = addSelection(group.command.command('discard'), noun[1])
    .summary(`removes ${noun[1]}`)
    .description(`Removes ${noun[1]} for good.`);
  addAction(command, examplesOf(group, examples, `\n${SETTINGS}`)).action(async (options: ActionOptions) => {
    const { discard } = await import('./redrive.ts');
    process.exitCode = await discard(queue, noun, options);
  });
}

function addAction(command: Command, examples: string): Command {
  return command
    .option('--rate <N>', 'at most so many a second', readCount(1, MOST_A_SECOND), DEFAULT_RATE)
    .option('--dry-run', 'only tells what it would do')
    .option('--yes', 'does not ask')
    .option('--json', JSON_LINES)
    .addHelpText('after', examples)
    .hook('preAction', (each) => requireSelection(each.opts<SelectionOptions>()));
}

/** The end of a help text. */
function examplesOf({ command }: Group, lines: readonly string[], note: string): string {
  const examples = lines.map((line) => `  $ poker-bridge ${command.name()} ${line}`);
  return ['', 'Examples:', ...examples, note].join('\n');
}

function collectSet(text: string, changes: readonly SetOption[] = []): readonly SetOption[] {
  const change = readSet(text);
  if (change) return [...changes, change];
  throw new InvalidArgumentError('It must be a JSON pointer, = and a value, such as /session/lang=de.');
}

function collectUnset(text: string, changes: readonly Change[] = []): readonly Change[] {
  const change = readUnset(text);
  if (change) return [...changes, change];
  throw new InvalidArgumentError('It must be a JSON pointer, such as /session/lang.');
}
