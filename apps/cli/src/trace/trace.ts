import { createInterface } from 'node:readline';

import { type Command, Option } from 'commander';

import { readSomeSettings } from '#settings';
import { subjectOf } from '#telemetry';

import { EXIT, ExitError, usageError } from '../exit.ts';
import { readValue } from '../input.ts';
import { type Options, readMoment } from '../options.ts';
import { describeCause, describeLogLine, type LogLine, readLogLine } from './log-line.ts';

const EXAMPLES = `
The log is read from standard input: of any number of workers, in any order, with or without a collector's prefix.

Examples:
  $ docker compose logs worker | poker-bridge trace --id 4711
  $ kubectl logs -l app.kubernetes.io/name=poker-bridge --prefix --tail -1 --since 2h | poker-bridge trace --player alice
  $ poker-bridge trace --since 2026-03-01T10:00:00Z --until 2026-03-01T10:05:00Z < worker.log
  $ cat worker-*.log | poker-bridge trace --player @player.txt --operator casino --json

--player needs LOG_SUBJECT_KEY, or LOG_SUBJECT_KEY_FILE, as the workers have it: a log names players by a keyed
hash. The other options need no setting. Ends with 1 if no line matches.`;

/** A player may be given as `@` and the path of a file; times are epoch milliseconds. */
type TraceOptions = Options<'id' | 'player', 'json', 'since' | 'until'> & {
  readonly operator: string;
};

/** How long before the first line of a command a circuit or the broker may have changed to be its cause. */
const BEFORE_MS = 5 * 60_000;

export function define(command: Command): void {
  command
    .option('--id <ID>', 'the id of the command, or its correlation id')
    .addOption(
      new Option('--player <ID>', 'the id of the player; @FILE reads it from a file').conflicts('id'),
    )
    .option('--operator <NAME>', "the player's operator", 'default')
    .option('--since <TIME>', 'from then on: 30m, 12h or 2d ago, or ISO 8601', readMoment)
    .option('--until <TIME>', 'until then', readMoment)
    .option('--json', 'only the lines that were asked for, as they were logged')
    .addHelpText('after', EXAMPLES)
    .action(trace);
}

async function trace(options: TraceOptions): Promise<void> {
  const { id, player, since = 0, until = Number.POSITIVE_INFINITY, json } = options;
  if ([id, player, options.since, options.until].every((option) => option === undefined)) {
    throw usageError('give --id, --player, --since or --until');
  }
  const isSelected = await selectorOf(options);
  if (process.stdin.isTTY) throw usageError('the log is read from standard input: pipe it in');
  const [about, around]: [LogLine[], LogLine[]] = [[], []];
  let [lines, subjects] = [0, 0];
  for await (const text of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    const line = readLogLine(text);
    if (!line) continue;
    lines += 1;
    if (line.members['subject'] !== undefined) subjects += 1;
    if (isSelected(line) && line.timeMs >= since && line.timeMs <= until) about.push(line);
    else if (isOfSurroundings(line)) around.push(line);
  }
  if (about.length === 0) {
    throw new ExitError(EXIT.failed, whyNone(lines, subjects, options));
  }
  about.sort(byTime);
  if (json) return about.forEach(({ text }) => process.stdout.write(`${text}\n`));
  const all = [...about, ...meanwhile(about, around)].sort(byTime);
  const hasWorkers = new Set(all.map(({ worker }) => worker)).size > 1;
  process.stdout.write(`${describeCause(about, all)}\n`);
  for (const line of all) process.stdout.write(describeLogLine(line, hasWorkers));
}

async function selectorOf({ id, player, operator }: TraceOptions): Promise<(line: LogLine) => boolean> {
  if (player === undefined) {
    return ({ members }) => id === undefined || members['id'] === id || members['correlationId'] === id;
  }
  const { LOG_SUBJECT_KEY: key } = readSomeSettings(['LOG_SUBJECT_KEY'], process.env);
  if (key === undefined) {
    throw new ExitError(EXIT.settings, 'LOG_SUBJECT_KEY: is required, as the workers have it');
  }
  const subject = subjectOf(key, operator, await readValue(player));
  return ({ members }) => members['subject'] === subject;
}

/** Whether a line is about a circuit, the broker, Redis or the worker itself, not about a command. */
function isOfSurroundings({ members: { id, level, msg } }: LogLine): boolean {
  return id === undefined && (level !== 'info' || /connected|started|stopp/i.test(String(msg)));
}

/** What happened shortly before and between the lines; circuits of other operators explain nothing. */
function meanwhile(about: readonly LogLine[], around: readonly LogLine[]): LogLine[] {
  const [fromMs, toMs] = [about[0]?.timeMs ?? 0, about.at(-1)?.timeMs ?? 0];
  const operators = new Set([undefined, ...about.map(({ members }) => members['operator'])]);
  return around.filter(
    ({ timeMs, members: { operator } }) =>
      timeMs >= fromMs - BEFORE_MS && timeMs <= toMs && operators.has(operator),
  );
}

const byTime = (one: LogLine, other: LogLine): number => one.timeMs - other.timeMs;

function whyNone(lines: number, subjects: number, { player, operator }: TraceOptions): string {
  if (lines === 0) return 'no line on standard input was written by a worker';
  const none = `none of ${lines} lines matches`;
  if (player === undefined) return none;
  if (subjects === 0) return `${none}, and none names a player: the workers have no LOG_SUBJECT_KEY`;
  return `${none}: is it the LOG_SUBJECT_KEY of the workers, and is the player one of ${operator}?`;
}
