import { stripVTControlCharacters, styleText } from 'node:util';

import { type Command, Option } from 'commander';

import { platformSays } from '#contracts';
import { readSomeSettings } from '#settings';
import { subjectOf } from '#telemetry';

import { EXIT, ExitError, usageError } from './exit.ts';
import { type Options, readMoment, readValue } from './input.ts';
import { counted, printable, written } from './output.ts';

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

type LogLine = NonNullable<ReturnType<typeof readLogLine>>;

/** How long before a command's first line a change of a circuit or the broker may be its cause. */
const BEFORE_MS = 5 * 60_000;
/** Parts of a collector's prefix that do not name a worker: times, the stream, separators. */
const NO_NAME = /\d{4}-\d{2}-\d{2}T\S+|\bstd(?:out|err) [FP]\b|[[\]|]/g;
/** Members that are not shown to people. */
const SILENT = ['correlationId', 'lane', 'subject'];
const COLOURS: Readonly<Record<string, 'red' | 'yellow'>> = { fatal: 'red', error: 'red', warn: 'yellow' };
/** Outcomes that an unavailable broker explains. */
const LATE = new Set<unknown>(['COMMAND_EXPIRED', 'OUTCOME_UNKNOWN']);

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
  const shown = surroundingsOf(about, around);
  const all = [...about, ...shown].sort(byTime);
  const hasWorkers = new Set(all.map(({ worker }) => worker)).size > 1;
  process.stdout.write(`${describePeriod(options)}${describeState(about, around.toSorted(byTime))}\n`);
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
function isOfSurroundings({ members: { id, level, msg } }: LogLine): boolean {
  return id === undefined && (level !== 'info' || /connected|started|stopp/i.test(String(msg)));
}

/**
 * Selects the lines that may explain a failure: lines between those of the commands, and the last line of
 * each kind in the five minutes before. A success needs no explanation. Circuits of other operators are
 * ignored.
 */
function surroundingsOf(about: readonly LogLine[], around: readonly LogLine[]): LogLine[] {
  const [fromMs, toMs] = [about[0]?.timeMs ?? 0, about.at(-1)?.timeMs ?? 0];
  const operators = new Set([undefined, ...about.map(({ members }) => members['operator'])]);
  const isFailed = outcomesOf(about).some(({ members }) => members['outcome'] !== 'success');
  const near = around.filter(
    ({ timeMs, members: { operator } }) =>
      timeMs >= fromMs - BEFORE_MS && timeMs <= toMs && operators.has(operator),
  );
  const [before, between] = [true, false].map((isBefore) =>
    near.filter(({ timeMs }) => timeMs < fromMs === isBefore),
  );
  const kindOf = ({ members: { msg, connection, operator, operation }, worker }: LogLine) =>
    JSON.stringify([msg, connection, operator, operation, worker]);
  const last = new Map(before?.toSorted(byTime).map((line) => [kindOf(line), line]));
  return [...(isFailed ? last.values() : []), ...(between ?? [])];
}

const byTime = (one: LogLine, other: LogLine): number => one.timeMs - other.timeMs;

function whyNone(lines: number, subjects: number, { player, operator }: TraceOptions): string {
  if (lines === 0) return 'no line on standard input was written by a worker: pipe in the log of the workers';
  const none = `none of ${counted(lines, 'line')} matches`;
  if (player === undefined) return none;
  if (subjects === 0) return `${none}, and none names a player: the workers have no LOG_SUBJECT_KEY`;
  return `${none}: is it the LOG_SUBJECT_KEY of the workers, and is the player one of ${operator}?`;
}

/** Parses a line of a log; undefined if no worker wrote it. `worker` is the prefix that a collector added. */
export function readLogLine(text: string) {
  const line = text.trimEnd();
  if (!line.endsWith('}')) return undefined;
  for (let at = line.indexOf('{'); at >= 0; at = line.indexOf('{', at + 1)) {
    try {
      const json = line.slice(at);
      const members = JSON.parse(json) as Readonly<Record<string, unknown>>;
      if (typeof members['msg'] !== 'string') continue;
      const worker = stripVTControlCharacters(line.slice(0, at)).replace(NO_NAME, ' ').trim();
      return { text: json, members, timeMs: Date.parse(String(members['time'])) || 0, worker };
    } catch {
      // The JSON starts later in the line.
    }
  }
  return undefined;
}

function said(value: unknown = ''): string {
  return printable(Array.isArray(value) ? value.map(said).join(' ') : written(value));
}

/** Formats a line of the log for people: the event and its command, then the other members. */
export function describeLogLine({ members, worker }: LogLine, hasWorkers = false): string {
  const { time, level, msg, id, type, operator, ...rest } = members;
  const colour = COLOURS[String(level)];
  const what = said(msg);
  const whose = operator === undefined ? '' : ` of ${said(operator)}`;
  const command = id === undefined ? '' : ` ${said(type)} ${said(id)}${whose}`;
  const where = hasWorkers && worker !== '' ? ` [${printable(worker)}]` : '';
  const facts = Object.entries(rest)
    .filter(([name]) => !SILENT.includes(name))
    .map(([name, value]) => `${printable(name)} ${said(value)}`);
  const below = facts.length === 0 ? '' : `    ${facts.join(', ')}\n`;
  return `${said(time)}${where} ${colour ? styleText(colour, what) : what}${command}\n${below}`;
}

function outcomesOf(lines: readonly LogLine[]): LogLine[] {
  return lines.filter(({ members }) => members['outcome'] !== undefined);
}

/**
 * Describes how the commands ended. The last outcome of an id counts: a success after failed attempts is a
 * success.
 *
 * @param about the lines of the commands, in order of time
 * @param around lines about circuits and the broker, in order of time, which may explain a failure
 */
export function describeState(about: readonly LogLine[], around: readonly LogLine[]): string {
  const outcomes = outcomesOf(about);
  const commands = Map.groupBy(outcomes, ({ members: { operator, id } }) => JSON.stringify([operator, id]));
  const ended = [...commands.values()].map((lines) => lines.at(-1) as LogLine).sort(byTime);
  const failures = ended.filter(({ members }) => members['outcome'] !== 'success');
  const earlier = outcomes.filter((line) => !ended.includes(line) && line.members['outcome'] !== 'success');
  const before = earlier.at(-1);
  const retried = before
    ? `  before that: ${counted(earlier.length, 'failure')} under the same id, the last at ` +
      `${said(before.members['time'])} with ${said(before.members['outcome'])}\n`
    : '';
  const last = failures.at(-1);
  if (!last) {
    const [only] = ended;
    if (!only)
      return 'No outcome is logged: the command is in flight, waits in its queue, or its worker died.\n';
    const what = ended.length === 1 ? `${nameOf(only)} succeeded` : `All ${ended.length} commands succeeded`;
    return `${what}${ended.length === 1 ? ` at ${said(only.members['time'])}` : ''}.\n${retried}`;
  }
  const count = ended.length > 1 ? `${failures.length} of ${ended.length} commands failed. The last: ` : '';
  const { time, outcome } = last.members;
  const what = `${nameOf(last)} failed at ${said(time)} with ${said(outcome)}`;
  const reasons = [ownReason(last), reasonAround(last, around)].filter((reason) => reason !== '');
  return `${count}${what}${reasons.map((reason) => `\n  ${reason}`).join('')}\n${retried}`;
}

function nameOf({ members: { type, id, operator } }: LogLine): string {
  return `${said(type)} ${said(id)} of ${said(operator)}`;
}

function ownReason({ members: { outcome, status, reason, pointers, unansweredMs } }: LogLine): string {
  const answer = status === undefined ? [] : [`the platform answered ${said(status)}`];
  const places = Array.isArray(pointers) ? [`at ${said(pointers)}`] : [];
  const isOfPlatform = reason === 'timeout' || outcome === 'CIRCUIT_OPEN';
  const afterMs = typeof unansweredMs === 'number' ? unansweredMs : undefined;
  const why = isOfPlatform ? platformSays(said(reason), afterMs) : said(reason);
  return [...answer, ...(reason === undefined ? [] : [why]), ...places].join(', ');
}

/** Finds the last change before a failure that explains it: of the command's circuit, or of the broker. */
function reasonAround({ members: { outcome, operator }, timeMs }: LogLine, around: readonly LogLine[]) {
  const before = around.filter((line) => line.timeMs <= timeMs).map(({ members }) => members);
  if (outcome === 'CIRCUIT_OPEN') {
    const opened = before.findLast(({ state, operator: own }) => state === 'open' && own === operator);
    if (!opened) return 'the circuit opened before this log begins';
    const { operation, time, cause } = opened;
    const why = cause === undefined ? '' : `: ${platformSays(said(cause))}`;
    return `the circuit of ${said(operation)} opened at ${said(time)}${why}`;
  }
  const away = before.findLast(({ msg }) => msg === 'the broker is not available');
  if (!away || !LATE.has(outcome)) return '';
  return `the broker was not available at ${said(away['time'])}: ${said(away['reason'])}`;
}
