import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Kept, KeptMessage, KeptQueue, TakeOutcome } from '#messaging/operator';
import type { OutgoingMessage } from '#rabbitmq';

import { EXIT, ExitError, usageError } from '../exit.ts';
import type { Options } from '../input.ts';
import { counted, printable } from '../output.ts';
import { Progress } from '../progress.ts';
import { groupLines, keptLine, NOUNS, type QueueName, type SelectionOptions, withMessages } from './list.ts';

export type ActionOptions = SelectionOptions &
  Options<never, 'dryRun' | 'yes' | 'json'> & { readonly rate: number };

export interface Action {
  readonly queue: QueueName;
  readonly verb: string;
  readonly done: string;
  /**
   * Returns the message to publish before a message is removed.
   *
   * @throws Error with the reason why the message stays
   */
  readonly replace?: (kept: Kept) => OutgoingMessage;
}

const OUTCOMES: Readonly<Record<Exclude<TakeOutcome, 'done'> | 'left', string>> = {
  left: 'waits behind a message that was not taken',
  unwritable: 'cannot be published; somebody wrote it by hand',
  returned: 'the queue does not exist',
  refused: 'the queue is full',
  unanswered: 'the broker has not confirmed it; it may have arrived all the same',
};

/**
 * Prints the plan for the selected messages, asks for confirmation, and carries it out. Later messages are
 * not touched.
 *
 * @throws ExitError without a terminal, on an interruption, or if the broker accepts nothing
 */
export function carryOut(options: ActionOptions, action: Action): Promise<void> {
  const { json, dryRun, yes } = options;
  const { queue, verb, done: past, replace } = action;
  const say = (text: string): void => void (json ? process.stderr : process.stdout).write(text);
  const number = (count: number): string => counted(count, ...NOUNS[queue]);
  const choiceOf = (each: Kept) => {
    try {
      replace?.(each);
      return { facts: each.facts };
    } catch (error) {
      return { facts: each.facts, why: (error as Error).message };
    }
  };
  return withMessages(queue, options, choiceOf, async (choices, kept, signal) => {
    const refused = Map.groupBy(choices, ({ why }) => why);
    const wanted = (refused.get(undefined) ?? []).map(({ facts }) => facts);
    refused.delete(undefined);
    const refusals = choices.length - wanted.length;
    const plan = [`${number(wanted.length)} of ${kept.name} to be ${past}`];
    if (wanted.length > 0) plan.push(...groupLines(wanted, queue));
    if (refusals > 0) plan.push('', `${number(refusals)} to be left`);
    for (const [why = '', { length }] of refused) plan.push(`  ${length} × ${printable(why)}`);
    say(`${plan.join('\n')}\n\n`);
    if (refusals > 0) process.exitCode = EXIT.failed;
    if (wanted.length === 0) return;
    if (dryRun) {
      if (json) for (const facts of wanted) process.stdout.write(keptLine(facts));
      return say('nothing was changed (--dry-run)\n');
    }
    if (!yes && !(await confirm(`${verb} ${number(wanted.length)}?`, signal))) {
      throw new ExitError(EXIT.failed, 'nothing was changed');
    }
    const { done, gone } = await settle(kept, action, options, wanted, signal);
    const left = wanted.length - done - gone;
    const others = gone > 0 ? `, ${gone} gone meanwhile: somebody else, or a worker, was faster` : '';
    say(`${done} ${past}, ${left + refusals} left${others}\n`);
    if (left > 0) process.exitCode = EXIT.failed;
  });
}

async function settle(
  kept: KeptQueue,
  { queue, replace }: Action,
  { rate, json }: ActionOptions,
  wanted: readonly KeptMessage[],
  interrupted: AbortSignal,
): Promise<{ readonly done: number; readonly gone: number }> {
  // On a terminal, the lines for programs already show the progress.
  const progress = json && process.stdout.isTTY ? undefined : new Progress('messages', wanted.length);
  const end = new AbortController();
  const signal = AbortSignal.any([interrupted, end.signal]);
  const untaken = new Map<string, number>();
  /** Queues that accepted nothing. Later replies for them wait, so that replies stay in sequence. */
  const closed = new Set<string>();
  let done = 0;
  const chosen = new Set(wanted.map(({ key }) => key));
  const waiting = (): void =>
    void process.stderr.write(`another process is working on ${kept.name}; waiting until it has finished\n`);
  const settling = kept.settle({ chosen, signal, waiting }, async (each, take) => {
    const { facts } = each;
    const outcome = closed.has(facts.queue) ? 'left' : await take(replace?.(each));
    if (outcome === 'done') {
      done += 1;
      progress?.add(1);
      if (json) process.stdout.write(keptLine(facts));
    } else {
      const why = `${facts.queue}: ${OUTCOMES[outcome]}`;
      untaken.set(why, (untaken.get(why) ?? 0) + 1);
      if (outcome !== 'unwritable') closed.add(facts.queue);
      // If one lane accepts nothing, no dead letter can be redriven.
      if (outcome !== 'unwritable' && queue === 'deadLetters') end.abort();
    }
    if (outcome !== 'left') await sleep(1_000 / rate, undefined, { signal }).catch(() => undefined);
  });
  const untouched = await settling.finally(() => progress?.end());
  for (const [why, count] of untaken) process.stderr.write(`${count} left: ${printable(why)}\n`);
  const soFar = `${done} done, ${wanted.length - done} left in their places`;
  const stopped = 'stopped, since the broker would not take the others either';
  if (end.signal.aborted) throw new ExitError(EXIT.noAnswer, `${stopped}: ${soFar}`);
  if (interrupted.aborted) throw new ExitError(EXIT.failed, `interrupted: ${soFar}`);
  return { done, gone: untouched.size };
}

/** Asks the user; any answer but `y` or `yes` is a no. @throws ExitError without a terminal */
async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw usageError('there is no terminal to ask on: give --yes to continue, or --dry-run to only look');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const end = new AbortController();
  // A terminal in raw mode sends no signal. Ctrl-C and the end of the input count as no.
  for (const event of ['SIGINT', 'close']) terminal.on(event, () => end.abort());
  const either = AbortSignal.any([signal, end.signal]);
  const answer = await terminal.question(`${question} [y/N] `, { signal: either }).catch(() => undefined);
  terminal.close();
  // Later output starts on a new line.
  if (answer === undefined) process.stderr.write('\n');
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}
