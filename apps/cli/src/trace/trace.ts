import { createInterface } from 'node:readline';

import { readSomeSettings } from '#settings';
import { subjectOf } from '#telemetry';

import { EXIT, type ExitCode, ExitError, usageError } from '../exit.ts';
import { readValue } from '../input/read-source.ts';
import { describeCause } from './cause.ts';
import { describeLogLine } from './describe-log-line.ts';
import { type LogLine, readLogLine } from './log-line.ts';

export interface TraceOptions {
  readonly id?: string;
  /** The id of the player, or `@` and the path of a file that holds it. */
  readonly player?: string;
  readonly operator: string;
  /** Epoch milliseconds. */
  readonly since?: number;
  /** Epoch milliseconds. */
  readonly until?: number;
  readonly json?: true;
}

/** How long before the first line of a command a circuit or the broker may have changed to be its cause. */
const BEFORE_MS = 5 * 60_000;

/** The lines of a log that are kept: those that are asked for, and what circuits and the broker did. */
interface Read {
  readonly about: LogLine[];
  readonly around: LogLine[];
  lines: number;
  subjects: number;
}

/**
 * Prints what a log on standard input says about a command, a player or a stretch of time, in order of time over all
 * workers: for people with what circuits and the broker did meanwhile, as JSON alone.
 *
 * @throws ExitError if there is no log, or no key for a player
 */
export async function trace(options: TraceOptions): Promise<ExitCode> {
  const isMeant = await meantBy(options);
  if (process.stdin.isTTY) throw usageError('pipe the log into it: it is read from standard input');
  const read = await readLog(isMeant, options);
  if (read.about.length === 0) {
    throw new ExitError(EXIT.failed, `no such line${whyNone(read, options)}`);
  }
  const about = read.about.sort(byTime);
  if (options.json) {
    for (const { text } of about) process.stdout.write(`${text}\n`);
    return EXIT.success;
  }
  const lines = [...about, ...meanwhile(about, read.around)].sort(byTime);
  const hasWorkers = new Set(lines.map(({ worker }) => worker)).size > 1;
  process.stdout.write(`${describeCause(about, lines)}\n`);
  for (const line of lines) process.stdout.write(describeLogLine(line, hasWorkers));
  return EXIT.success;
}

async function readLog(isMeant: (line: LogLine) => boolean, options: TraceOptions): Promise<Read> {
  const { since = 0, until = Number.POSITIVE_INFINITY } = options;
  const read: Read = { about: [], around: [], lines: 0, subjects: 0 };
  for await (const text of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    const line = readLogLine(text);
    if (!line) continue;
    read.lines += 1;
    if (line.members['subject'] !== undefined) read.subjects += 1;
    if (isMeant(line) && line.timeMs >= since && line.timeMs <= until) read.about.push(line);
    else if (isOfSurroundings(line)) read.around.push(line);
  }
  return read;
}

async function meantBy({ id, player, operator }: TraceOptions): Promise<(line: LogLine) => boolean> {
  if (player !== undefined) {
    const key = readKey();
    const subject = subjectOf(key, operator, await readValue(player));
    return ({ members }) => members['subject'] === subject;
  }
  if (id === undefined) return () => true;
  return ({ members }) => members['id'] === id || members['correlationId'] === id;
}

/** Whether a line tells of a circuit, the broker, Redis or the worker itself, not of a command. */
function isOfSurroundings({ members }: LogLine): boolean {
  const { id, level, msg } = members;
  return id === undefined && (level !== 'info' || /connected|started|stopp/i.test(String(msg)));
}

/** What happened shortly before and between the lines; circuits of other operators explain nothing. */
function meanwhile(about: readonly LogLine[], around: readonly LogLine[]): LogLine[] {
  const [fromMs, toMs] = [about[0]?.timeMs ?? 0, about.at(-1)?.timeMs ?? 0];
  const operators = new Set(about.map(({ members }) => members['operator']));
  return around.filter(
    ({ timeMs, members: { operator } }) =>
      timeMs >= fromMs - BEFORE_MS && timeMs <= toMs && (operator === undefined || operators.has(operator)),
  );
}

function byTime(one: LogLine, other: LogLine): number {
  return one.timeMs - other.timeMs;
}

function readKey(): string {
  const { LOG_SUBJECT_KEY: key } = readSomeSettings(['LOG_SUBJECT_KEY'], process.env);
  if (key !== undefined) return key;
  throw new ExitError(EXIT.settings, 'LOG_SUBJECT_KEY: is required, as the workers have it');
}

function whyNone({ lines, subjects }: Read, { player, operator }: TraceOptions): string {
  if (lines === 0) return ': no line on standard input was written by a worker';
  if (player === undefined) return ` among ${lines}`;
  if (subjects === 0)
    return ` among ${lines}: none of them names a player, so the workers have no LOG_SUBJECT_KEY`;
  return ` among ${lines}: is it the LOG_SUBJECT_KEY of the workers, and is the player one of ${operator}?`;
}
