import { type Command, InvalidArgumentError } from 'commander';

import { DEAD_LETTERS_EXAMPLES, REPLIES_EXAMPLES } from './examples.ts';
import type { ActionOptions } from './carry-out.ts';
import { type Change, readSet, readUnset, type SetOption } from './change-body.ts';
import type { ListOptions } from './list.ts';
import type { RedriveOptions } from './redrive.ts';
import { addSelection, type Kind, requireSelection, type SelectionOptions } from './selection.ts';
import type { ShowOptions } from './show.ts';

const JSON_LINES = 'one a line: {id, type, operator, reason, failedAt, queue, bytes}';
const MOST_A_SECOND = 200;
const DEFAULT_RATE = 50;

/** One of the two queues that keep messages for people. */
interface Group {
  readonly queue: 'deadLetters' | 'undelivered';
  readonly noun: readonly [one: string, many: Kind];
}

const LETTERS = { queue: 'deadLetters', noun: ['dead letter', 'dead letters'] } as const satisfies Group;
const REPLIES = { queue: 'undelivered', noun: ['parked reply', 'parked replies'] } as const satisfies Group;

/** The commands that were given up. */
export function addDeadLetters(program: Command): void {
  const group = program
    .command('dead-letters')
    .description('looks into the dead letters, sends them back to work, or removes them')
    .helpCommand(false);
  addLooks(group, LETTERS, DEAD_LETTERS_EXAMPLES.list);
  const redrive = addSelection(group.command('redrive'), LETTERS.noun[1])
    .summary('sends dead letters back to their lanes')
    .description('Sends dead letters back to the lanes of their types, with a new deadline.')
    .option(
      '--set <POINTER=VALUE>',
      'changes the data, as /session/lang=de does, or /player/id=@FILE; may be given again',
      collectSet,
    )
    .option('--unset <POINTER>', 'removes a member of the data; may be given again', collectUnset)
    .option('--force', 'also what would fail the same way');
  addAction(redrive, DEAD_LETTERS_EXAMPLES.redrive).action(async (options: RedriveOptions) => {
    const { redrive: run } = await import('./redrive.ts');
    process.exitCode = await run(LETTERS.noun, options);
  });
  addDiscard(group, LETTERS, DEAD_LETTERS_EXAMPLES.discard);
}

/** The replies that nobody took. */
export function addReplies(program: Command): void {
  const group = program
    .command('replies')
    .description('looks into the parked replies, delivers or removes them')
    .helpCommand(false);
  addLooks(group, REPLIES, REPLIES_EXAMPLES.list);
  const redeliver = addSelection(group.command('redeliver'), REPLIES.noun[1])
    .summary('sends parked replies to their queues')
    .description(
      'Sends parked replies to their reply queues, as far as these exist again, under the same ids.',
    );
  addAction(redeliver, REPLIES_EXAMPLES.redeliver).action(async (options: ActionOptions) => {
    const { redeliver: run } = await import('./redeliver.ts');
    process.exitCode = await run(REPLIES.noun, options);
  });
  addDiscard(group, REPLIES, REPLIES_EXAMPLES.discard);
}

function addLooks(group: Command, { queue, noun }: Group, examples: string): void {
  addSelection(group.command('list'), noun[1])
    .summary(`counts and lists the ${noun[1]}`)
    .description(
      `Counts the ${noun[1]} by reason and type, and lists them, oldest first. It changes nothing.`,
    )
    .option('--json', JSON_LINES)
    .addHelpText('after', examples)
    .action(async (options: ListOptions) => {
      const { list } = await import('./list.ts');
      process.exitCode = await list(queue, noun, options);
    });
  group
    .command('show')
    .summary(`shows one ${noun[0]}`)
    .description(
      `Shows the properties and headers of a ${noun[0]}, and its body if that is wanted. It changes nothing.`,
    )
    .argument('<ID>', 'the id of the command')
    .option('--body', "the body as well, which may hold players' data and tokens")
    .option('--json', 'one a line: {properties, headers, body}')
    .action(async (id: string, options: ShowOptions) => {
      const { show } = await import('./show.ts');
      process.exitCode = await show(queue, noun, id, options);
    });
}

function addDiscard(group: Command, { queue, noun }: Group, examples: string): void {
  const command = addSelection(group.command('discard'), noun[1])
    .summary(`removes ${noun[1]}`)
    .description(`Removes ${noun[1]} for good.`);
  addAction(command, examples).action(async (options: ActionOptions) => {
    const { discard } = await import('./discard.ts');
    process.exitCode = await discard(queue, noun, options);
  });
}

function addAction(command: Command, examples: string): Command {
  return command
    .option('--rate <N>', 'at most so many a second', readRate, DEFAULT_RATE)
    .option('--dry-run', 'only tells what it would do')
    .option('--yes', 'does not ask')
    .option('--json', JSON_LINES)
    .addHelpText('after', examples)
    .hook('preAction', (each) => requireSelection(each.opts<SelectionOptions>()));
}

function readRate(text: string): number {
  const rate = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (rate >= 1 && rate <= MOST_A_SECOND) return rate;
  throw new InvalidArgumentError(`It must be an integer from 1 to ${MOST_A_SECOND}.`);
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
