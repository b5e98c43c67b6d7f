import { type Command, Option } from 'commander';

import { readSomeSettings } from '#settings';
import { subjectOf } from '#telemetry';

import { EXIT, ExitError, usageError } from '../exit.ts';
import { type Options, readMoment, readValue } from '../input.ts';
import { counted } from '../output.ts';
import { byTime, describeState, failuresIn } from './command-state.ts';
import { describeLogLine, type LogLine, readLogLine } from './log-line.ts';

const EXAMPLES = `
The log is read from standard input: logs of any number of workers, in any order, with or without prefixes.

Examples:
  $ docker compose logs worker | poker-bridge trace --id 4711
  $ kubectl logs -l app.kubernetes.io/name=poker-bridge --prefix --tail -1 | poker-bridge trace --player alice
  $ poker-bridge trace --since 10:00 --until 10:10 < worker.log
  $ cat worker-*.log | poker-bridge trace --player @player.txt --operator casino --json

--player needs the LOG_SUBJECT_KEY (or LOG_SUBJECT_KEY_FILE) of the workers: a log names players by a keyed hash.
The other options need no setting. Exits with 1 if no line matches.`;

/** `player` may be `@` and the path of a file; times are epoch milliseconds. */
type TraceOptions = Options<'id' | 'player', 'json', 'since' | 'until'> & { readonly operator: string };

/** How long before a command's first line a change of a circuit or the broker may be its cause. */
const BEFORE_MS = 5 * 60_000;
export function define(command: Command): void {
  command
    .option('--id <ID>', 'the id of the command, or its correlation id')
    .addOption(new Option('--player <ID>', 'the id of the player, or @FILE').conflicts('id'))
    .option('--operator <NAME>', "the player's operator", 'default')
    .option(
      '--since <TIME>',
      'from this time on: 30m, 12h or 2d ago, 10:00 of today (UTC), or ISO 8601',
      readMoment,
    )
    .option('--until <TIME>', 'until this time', readMoment)
    .option('--json', 'only the selected lines, as they were logged')
    .addHelpText('after', EXAMPLES)
    .action(trace);
}

async function trace(options: TraceOptions): Promise<void> {
  const { since = 0, until = Number.POSITIVE_INFINITY, json } = options;
  const isAnyGiven = ['id', 'player', 'since', 'until'].some((name) => Object.hasOwn(options, name));
  if (!isAnyGiven) throw usageError('give --id, --player, --since or --until');
  const isSelected = await selectorOf(options);
  if (process.stdin.isTTY) throw usageError('the log is read from standard input: pipe it in');
  const [about, around]: [LogLine[], LogLine[]] = [[], []];
  let [lines, subjects] = [0, 0];
  for await (const text of linesOf(process.stdin.setEncoding('utf8'))) {
    const line = readLogLine(text);
    if (!line) continue;
    lines += 1;
    if (line.members['subject'] !== undefined) subjects += 1;
    if (isSelected(line) && line.timeMs >= since && line.timeMs <= until) about.push(line);
    else if (isOfSurroundings(line)) around.push(line);
  }
  if (about.length === 0) throw new ExitError(EXIT.failed, whyNone(lines, subjects, options));
  about.sort(byTime);
  if (json) return about.forEach(({ text }) => process.stdout.write(`${text}\n`));
  around.sort(byTime);
  const shown = surroundingsOf(about, around);
  const all = [...about, ...shown].sort(byTime);
  const hasWorkers = new Set(all.map(({ worker }) => worker)).size > 1;
  process.stdout.write(`${describePeriod(options)}${describeState(about, around)}\n`);
  for (const line of all) process.stdout.write(describeLogLine(line, hasWorkers));
  const left = { circuits: around.length - shown.length, others: lines - about.length - around.length };
  process.stdout.write(describeOmissions(left));
}

/** Shows the selected period in UTC, because a time of day has no date. */
function describePeriod({ since, until }: TraceOptions): string {
  const utc = (atMs: number) => new Date(atMs).toISOString();
  const ends = [since !== undefined && `from ${utc(since)}`, until !== undefined && `until ${utc(until)}`];
  const given = ends.filter((end) => end !== false);
  return given.length === 0 ? '' : `${given.join(' ')} (UTC)\n`;
}

function describeOmissions({ circuits, others }: Readonly<Record<'circuits' | 'others', number>>): string {
  const left = [
    others > 0 && `${counted(others, 'line')} about other commands or times`,
    circuits > 0 &&
      `${counted(circuits, 'line')} about circuits, the broker, Redis or workers at other times`,
  ].filter((text) => text !== false);
  return left.length === 0 ? '' : `\nLeft out: ${left.join('; ')}.\n`;
}

/** Splits a stream into lines. The readline of Node.js would also split at U+2028, which JSON may contain. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
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

/** True for lines about a circuit, the broker, Redis or the worker itself. */
function isOfSurroundings({ members: { id, level, event } }: LogLine): boolean {
  return id === undefined && (level !== 'info' || /^(?:broker|redis|worker)\./.test(String(event)));
}

/**
 * Selects the lines that may explain a failure: lines between those of the commands, and the last line of
 * each kind in the five minutes before. A success needs no explanation. Circuits of other operators are
 * ignored. Both lists are in order of time.
 */
function surroundingsOf(about: readonly LogLine[], around: readonly LogLine[]): LogLine[] {
  const [fromMs, toMs] = [about[0]?.timeMs ?? 0, about.at(-1)?.timeMs ?? 0];
  const operators = new Set([undefined, ...about.map(({ members }) => members['operator'])]);
  const near = around.filter(
    ({ timeMs, members: { operator } }) =>
      timeMs >= fromMs - BEFORE_MS && timeMs <= toMs && operators.has(operator),
  );
  const between = near.filter(({ timeMs }) => timeMs >= fromMs);
  if (failuresIn(about).length === 0) return between;
  const before = near.filter(({ timeMs }) => timeMs < fromMs);
  const kindOf = ({ members: { msg, connection, operator, operation }, worker }: LogLine) =>
    JSON.stringify([msg, connection, operator, operation, worker]);
  const last = new Map(before.map((line) => [kindOf(line), line]));
  return [...last.values(), ...between];
}

function whyNone(lines: number, subjects: number, { player, operator }: TraceOptions): string {
  if (lines === 0) return 'no line on standard input was written by a worker: pipe in the log of the workers';
  const none = `none of ${counted(lines, 'line')} matches`;
  if (player === undefined) return none;
  if (subjects === 0) return `${none}, and none names a player: the workers have no LOG_SUBJECT_KEY`;
  return `${none}: is it the LOG_SUBJECT_KEY of the workers, and is the player one of ${operator}?`;
}
