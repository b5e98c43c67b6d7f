import { createInterface } from 'node:readline';

import { readSomeSettings } from '#settings';
import { subjectOf } from '#telemetry';

import { exitOfFault } from '../bus/exit-of-fault.ts';
import { EXIT, type ExitCode, ExitError, usageError } from '../exit.ts';
import { readValue } from '../input/read-value.ts';
import { describeLogLine } from './describe-log-line.ts';
import { type LogLine, readLogLine } from './log-line.ts';

export interface TraceOptions {
  readonly id?: string;
  /** The id of the player, or `@` and the path of a file that holds it. */
  readonly player?: string;
  readonly operator: string;
  readonly json?: true;
}

/** What was met on the way through a log. */
interface Met {
  lines: number;
  subjects: number;
  found: number;
}

/**
 * Prints the lines of a log on standard input that are about a command or a player, as they come.
 *
 * @throws ExitError if there is no log, or no key for a player
 */
export async function trace(options: TraceOptions): Promise<ExitCode> {
  const isMeant = options.player === undefined ? ofCommand(options.id ?? '') : await ofPlayer(options);
  if (process.stdin.isTTY) throw usageError('pipe the log into it: it is read from standard input');
  const met: Met = { lines: 0, subjects: 0, found: 0 };
  for await (const text of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    const line = readLogLine(text);
    if (!line) continue;
    met.lines += 1;
    if (line.members['subject'] !== undefined) met.subjects += 1;
    if (!isMeant(line)) continue;
    met.found += 1;
    process.stdout.write(options.json ? `${line.text}\n` : describeLogLine(line));
  }
  if (met.found > 0) return EXIT.success;
  throw new ExitError(EXIT.failed, `no such line${whyNone(met, options)}`);
}

function ofCommand(id: string): (line: LogLine) => boolean {
  return ({ members }) => members['id'] === id || members['correlationId'] === id;
}

async function ofPlayer({ player = '', operator }: TraceOptions): Promise<(line: LogLine) => boolean> {
  const key = readKey();
  const subject = subjectOf(key, operator, await readValue(player));
  return ({ members }) => members['subject'] === subject;
}

function readKey(): string {
  try {
    const { LOG_SUBJECT_KEY: key } = readSomeSettings(['LOG_SUBJECT_KEY'], process.env);
    if (key !== undefined) return key;
  } catch (error) {
    throw exitOfFault(error);
  }
  throw new ExitError(EXIT.settings, 'LOG_SUBJECT_KEY: is required, as the workers have it');
}

function whyNone({ lines, subjects }: Met, { player, operator }: TraceOptions): string {
  if (lines === 0) return ': no line on standard input is one of a worker';
  if (player === undefined) return ` among ${lines}`;
  if (subjects === 0)
    return ` among ${lines}: none of them names a player, so the workers have no LOG_SUBJECT_KEY`;
  return ` among ${lines}: is it the LOG_SUBJECT_KEY of the workers, and is the player one of ${operator}?`;
}
