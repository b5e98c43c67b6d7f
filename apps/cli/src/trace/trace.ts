import { createInterface } from 'node:readline';

import { readSomeSettings } from '#settings';
import { subjectOf } from '#telemetry';

import { EXIT, type ExitCode, ExitError, usageError } from '../exit.ts';
import { readValue } from '../input.ts';
import type { Options } from '../options.ts';
import { describeCause, describeLogLine, type LogLine, readLogLine } from './log-line.ts';

/** A player may be given as `@` and the path of a file; times are epoch milliseconds. */
export type TraceOptions = Options<'id' | 'player', 'json', 'since' | 'until'> & {
  readonly operator: string;
};

/** How long before the first line of a command a circuit or the broker may have changed to be its cause. */
const BEFORE_MS = 5 * 60_000;

/**
 * Prints what a log on standard input says about a command, a player or a stretch of time, in order of time over all
 * workers: for people with what circuits and the broker did meanwhile, as JSON alone.
 *
 * @throws ExitError if there is no log, or no key for a player
 */
export async function trace(options: TraceOptions): Promise<ExitCode> {
  const { since = 0, until = Number.POSITIVE_INFINITY, json } = options;
  const isMeant = await meantBy(options);
  if (process.stdin.isTTY) throw usageError('pipe the log into it: it is read from standard input');
  const about: LogLine[] = [];
  const around: LogLine[] = [];
  const read = { lines: 0, subjects: 0 };
  for await (const text of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    const line = readLogLine(text);
    if (!line) continue;
    read.lines += 1;
    if (line.members['subject'] !== undefined) read.subjects += 1;
    if (isMeant(line) && line.timeMs >= since && line.timeMs <= until) about.push(line);
    else if (isOfSurroundings(line)) around.push(line);
  }
  if (about.length === 0) throw new ExitError(EXIT.failed, `no such line${whyNone(read, options)}`);
  about.sort(byTime);
  if (json) {
    for (const { text } of about) process.stdout.write(`${text}\n`);
    return EXIT.success;
  }
  const lines = [...about, ...meanwhile(about, around)].sort(byTime);
  const hasWorkers = new Set(lines.map(({ worker }) => worker)).size > 1;
  process.stdout.write(`${describeCause(about, lines)}\n`);
  for (const line of lines) process.stdout.write(describeLogLine(line, hasWorkers));
  return EXIT.success;
}

async function meantBy({ id, player, operator }: TraceOptions): Promise<(line: LogLine) => boolean> {
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

function byTime(one: LogLine, other: LogLine): number {
  return one.timeMs - other.timeMs;
}

function whyNone(
  { lines, subjects }: { lines: number; subjects: number },
  { player, operator }: TraceOptions,
): string {
  if (lines === 0) return ': no line on standard input was written by a worker';
  if (player === undefined) return ` among ${lines}`;
  if (subjects === 0)
    return ` among ${lines}: none of them names a player, so the workers have no LOG_SUBJECT_KEY`;
  return ` among ${lines}: is it the LOG_SUBJECT_KEY of the workers, and is the player one of ${operator}?`;
}
