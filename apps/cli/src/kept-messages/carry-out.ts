import { createInterface } from 'node:readline/promises';

import type { Kept, KeptMessage, KeptOutcome, KeptQueue } from '#messaging/client';

import { EXIT, type ExitCode, ExitError, usageError } from '../exit.ts';
import { refuseIfInterrupted } from '../interruption.ts';
import { printable } from '../output/printable.ts';
import { Progress } from '../output/progress.ts';
import { counted, describeGroups, keptLine, type Noun } from './describe-kept.ts';
import { isSelected, type SelectionOptions } from './selection.ts';

export interface ActionOptions extends SelectionOptions {
  readonly rate: number;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** What a subcommand does to the messages that were chosen. */
export interface Action {
  /** As the question and the last line say it, for example `Redrive` and `redriven`. */
  readonly verb: string;
  readonly done: string;
  readonly noun: Noun;
  /** Why a message stays where it is; undefined if nothing speaks against it. */
  readonly refusalOf: (kept: Kept) => string | undefined;
  readonly decide: Parameters<KeptQueue['settle']>[0]['decide'];
  /** Whether one that the broker does not take ends all, because it would not take the others either. */
  readonly endsAtRefusal: boolean;
}

interface Plan {
  readonly wanted: readonly KeptMessage[];
  /** With the reason of each. */
  readonly refused: readonly (readonly [KeptMessage, string])[];
}

const OUTCOMES: Readonly<Record<Exclude<KeptOutcome, 'done'>, string>> = {
  left: 'waits behind that one',
  unwritable: 'cannot be published; somebody wrote it by hand',
  returned: 'the queue does not exist',
  refused: 'the queue is full',
  unanswered: 'the broker has not confirmed it; it may have arrived all the same',
};

/**
 * Tells what is about to be done, asks, and does it. What was not there then is not touched.
 *
 * @throws ExitError if there is nobody to ask, or the broker takes nothing
 */
export async function carryOut(
  kept: KeptQueue,
  action: Action,
  options: ActionOptions,
  signal: AbortSignal,
): Promise<ExitCode> {
  const say = (text: string): void => void (options.json ? process.stderr : process.stdout).write(text);
  const plan = await planOf(kept, action, options);
  refuseIfInterrupted(signal);
  say(describePlan(plan, kept.name, action));
  const { wanted, refused } = plan;
  const rest = refused.length > 0 ? EXIT.failed : EXIT.success;
  if (wanted.length === 0) return rest;
  if (options.dryRun) {
    if (options.json) for (const facts of wanted) process.stdout.write(keptLine(facts));
    say('nothing was done (--dry-run)\n');
    return rest;
  }
  const question = `${action.verb} ${counted(wanted.length, action.noun)}?`;
  if (!options.yes && !(await confirm(question, signal))) {
    throw new ExitError(EXIT.failed, 'nothing was done');
  }
  const { done, gone } = await settle(kept, action, options, plan, signal);
  const left = wanted.length - done - gone;
  const others = gone > 0 ? `, ${gone} gone meanwhile: somebody else, or a worker, was faster` : '';
  say(`${done} ${action.done}, ${left + refused.length} left${others}\n`);
  return left > 0 ? EXIT.failed : rest;
}

async function planOf(kept: KeptQueue, { refusalOf }: Action, options: ActionOptions): Promise<Plan> {
  let wanted: KeptMessage[] = [];
  let refused: [KeptMessage, string][] = [];
  await kept.look(
    (each) => {
      if (!isSelected(each.facts, options)) return;
      const refusal = refusalOf(each);
      if (refusal === undefined) wanted.push(each.facts);
      else refused.push([each.facts, refusal]);
    },
    () => {
      wanted = [];
      refused = [];
    },
  );
  return { wanted, refused };
}

function describePlan({ wanted, refused }: Plan, queue: string, { noun, done }: Action): string {
  const lines = [`${counted(wanted.length, noun)} of ${queue} to be ${done}`];
  if (wanted.length > 0) lines.push(describeGroups(wanted).trimEnd());
  if (refused.length > 0) lines.push('', `${counted(refused.length, noun)} to be left`);
  for (const [why, group] of Map.groupBy(refused, ([, refusal]) => refusal)) {
    lines.push(`  ${group.length} × ${printable(why)}`);
  }
  return `${lines.join('\n')}\n\n`;
}

/** How many of those that were wanted were settled, and how many somebody else had settled before. */
interface Sum {
  readonly done: number;
  readonly gone: number;
}

/** @throws ExitError if it is interrupted, or the broker takes nothing */
async function settle(
  kept: KeptQueue,
  { decide, endsAtRefusal, noun }: Action,
  { rate, json }: ActionOptions,
  { wanted }: Plan,
  signal: AbortSignal,
): Promise<Sum> {
  const end = new AbortController();
  const untaken = new Map<string, number>();
  /** Queues that took nothing: what is behind the first one waits with it, so that replies stay in sequence. */
  const closed = new Set<string>();
  // On one terminal the lines are progress enough.
  const progress = json && process.stdout.isTTY ? undefined : new Progress(noun[1], { total: wanted.length });
  let done = 0;
  const settling = kept.settle({
    chosen: new Set(wanted.map(({ key }) => key)),
    decide: (each) => (closed.has(each.facts.queue) ? 'leave' : decide(each)),
    ratePerSecond: rate,
    signal: AbortSignal.any([signal, end.signal]),
    waiting: () =>
      void process.stderr.write(
        'a worker is delivering parked replies; waiting until it has come to the end\n',
      ),
    settled: (facts, outcome) => {
      if (outcome === 'done') {
        done += 1;
        progress?.add(1);
        if (json) process.stdout.write(keptLine(facts));
        return;
      }
      const why = `${facts.queue}: ${OUTCOMES[outcome]}`;
      untaken.set(why, (untaken.get(why) ?? 0) + 1);
      if (outcome === 'unwritable') return;
      closed.add(facts.queue);
      if (endsAtRefusal) end.abort();
    },
  });
  const untouched = await settling.finally(() => progress?.end());
  for (const [why, count] of untaken) process.stderr.write(`${count} left: ${printable(why)}\n`);
  const soFar = `${done} done, ${wanted.length - done} left in their places`;
  if (end.signal.aborted) {
    throw new ExitError(
      EXIT.noAnswer,
      `stopped, since the broker would not take the others either: ${soFar}`,
    );
  }
  if (signal.aborted) throw new ExitError(EXIT.failed, `interrupted: ${soFar}`);
  return { done, gone: untouched.size };
}

/**
 * Asks the user on the terminal; anything but `y` or `yes` is a no.
 *
 * @throws ExitError wrong usage, if there is no terminal to ask on
 */
async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw usageError('there is no terminal to ask on: say --yes to go on, or --dry-run to only look');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // A terminal in raw mode gives no signal: here Ctrl-C is a no.
  terminal.on('SIGINT', () => terminal.close());
  const closed = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
  let answer: string | undefined;
  try {
    answer = await Promise.race([terminal.question(`${question} [y/N] `, { signal }), closed]);
    if (answer === undefined) return false;
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  } finally {
    terminal.close();
    // What follows is not to stand beside the question.
    if (answer === undefined) process.stderr.write('\n');
  }
}
