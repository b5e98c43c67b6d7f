import { stripVTControlCharacters, styleText } from 'node:util';

import { printable, written } from '../output.ts';

export interface LogLine {
  readonly text: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds; 0 if the line has no readable time. */
  readonly timeMs: number;
  /** What the collector of logs wrote before the JSON, such as the name of a container; empty if it wrote none. */
  readonly worker: string;
}

/** Parts of a collector's prefix that do not name a worker: times, the stream, separators. */
const NO_NAME = /\d{4}-\d{2}-\d{2}T\S+|\bstd(?:out|err) [FP]\b|[[\]|]/g;
/** Members that say nothing to a person. */
const SILENT = ['correlationId', 'lane', 'subject'];
const COLOURS: Readonly<Record<string, 'red' | 'yellow'>> = { fatal: 'red', error: 'red', warn: 'yellow' };

/** Reads a line of a log, also behind what a collector writes before it; undefined if no worker wrote the line. */
export function readLogLine(text: string): LogLine | undefined {
  const line = text.trimEnd();
  if (!line.endsWith('}')) return undefined;
  for (let at = line.indexOf('{'); at >= 0; at = line.indexOf('{', at + 1)) {
    try {
      const json = line.slice(at);
      const members = JSON.parse(json) as Record<string, unknown>;
      if (typeof members['msg'] !== 'string') continue;
      const worker = stripVTControlCharacters(line.slice(0, at)).replace(NO_NAME, ' ').trim();
      return { text: json, members, timeMs: Date.parse(String(members['time'])) || 0, worker };
    } catch {
      // The JSON begins later.
    }
  }
  return undefined;
}

/** A member of a line for people, a list as its items. */
function said(value: unknown = ''): string {
  return printable(Array.isArray(value) ? value.map(said).join(' ') : written(value));
}

/** A line of the log for people, with its worker if there are several: what happened to which command, and then the rest. */
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

/** Outcomes that a broker which was away explains. */
const LATE = new Set<unknown>(['COMMAND_EXPIRED', 'OUTCOME_UNKNOWN']);

/**
 * Says first what a reader of the lines looks for: how the command ended, and because of what.
 *
 * @param about the lines of the command, the player or the stretch of time, in order of time
 * @param around these, and what circuits and the broker did meanwhile, in order of time
 */
export function describeCause(about: readonly LogLine[], around: readonly LogLine[]): string {
  const outcomes = about.filter(({ members }) => members['outcome'] !== undefined);
  const failures = outcomes.filter(({ members }) => members['outcome'] !== 'success');
  const [first] = failures;
  if (!first) {
    if (outcomes.length > 0) return `All ${outcomes.length} succeeded.\n`;
    return 'No outcome is logged: the command is in flight, waits in its queue, or its worker died.\n';
  }
  const { type, id, operator, time, outcome } = first.members;
  const count = outcomes.length > 1 ? `${failures.length} of ${outcomes.length} failed. The first: ` : '';
  const what = `${said(type)} ${said(id)} of ${said(operator)} failed at ${said(time)} with ${said(outcome)}`;
  const reasons = [ownReason(first), reasonAround(first, around)].filter((reason) => reason !== '');
  return `${count}${what}${reasons.map((reason) => `\n  ${reason}`).join('')}\n`;
}

function ownReason({ members: { status, reason, pointers } }: LogLine): string {
  return [
    ...(status === undefined ? [] : [`the platform answered ${said(status)}`]),
    ...(reason === undefined ? [] : [said(reason)]),
    ...(Array.isArray(pointers) ? [`at ${said(pointers)}`] : []),
  ].join(', ');
}

/** The last change before the failure that explains it: of the command's own circuit, or of the broker. */
function reasonAround(
  { members: { outcome, operator }, timeMs }: LogLine,
  around: readonly LogLine[],
): string {
  const last = (isIt: (members: LogLine['members']) => boolean): LogLine['members'] | undefined =>
    around.findLast((line) => line.timeMs <= timeMs && isIt(line.members))?.members;
  if (outcome === 'CIRCUIT_OPEN') {
    const opened = last((members) => members['state'] === 'open' && members['operator'] === operator);
    if (!opened) return 'the circuit opened before this log begins';
    const why = opened['cause'] === undefined ? '' : `: ${said(opened['cause'])}`;
    return `the circuit of ${said(opened['operation'])} opened at ${said(opened['time'])}${why}`;
  }
  const away = LATE.has(outcome) ? last(({ msg }) => msg === 'the broker is not available') : undefined;
  return away ? `the broker was not available at ${said(away['time'])}: ${said(away['reason'])}` : '';
}
