import { platformSays } from '#contracts';

import { counted } from '../output.ts';
import { type LogLine, said } from './log-line.ts';

/** Outcomes that an unavailable broker explains. */
const LATE = new Set<unknown>(['COMMAND_EXPIRED', 'OUTCOME_UNKNOWN']);

export const byTime = (one: LogLine, other: LogLine): number => one.timeMs - other.timeMs;

export function failuresIn(lines: readonly LogLine[]): LogLine[] {
  return outcomesIn(lines).filter(({ members }) => members['outcome'] !== 'success');
}

/**
 * Describes how the commands ended. The last outcome of an id counts: a success after failed attempts is a
 * success.
 *
 * @param about the lines of the commands, in order of time
 * @param around lines about circuits and the broker, in order of time, which may explain a failure
 */
export function describeState(about: readonly LogLine[], around: readonly LogLine[]): string {
  const commands = Map.groupBy(outcomesIn(about), keyOf);
  const ended = [...commands.values()].map((lines) => lines.at(-1) as LogLine).sort(byTime);
  const failures = failuresIn(ended);
  const earlierThan = (last: LogLine) => describeEarlier(commands.get(keyOf(last))?.slice(0, -1) ?? []);
  const last = failures.at(-1);
  if (!last) {
    const [only] = ended;
    if (!only)
      return 'No outcome is logged: the command is in flight, waits in its queue, or its worker died.\n';
    if (ended.length > 1) return `All ${ended.length} commands succeeded.\n`;
    return `${nameOf(only)} succeeded at ${said(only.members['time'])}.\n${earlierThan(only)}`;
  }
  const count = ended.length > 1 ? `${failures.length} of ${ended.length} commands failed. The last: ` : '';
  const { time, outcome } = last.members;
  const what = `${nameOf(last)} failed at ${said(time)} with ${said(outcome)}`;
  const reasons = [ownReason(last), reasonAround(last, around)].filter((reason) => reason !== '');
  return `${count}${what}${reasons.map((reason) => `\n  ${reason}`).join('')}\n${earlierThan(last)}`;
}

function outcomesIn(lines: readonly LogLine[]): LogLine[] {
  return lines.filter(({ members }) => members['outcome'] !== undefined);
}

/** Describes the failures among the earlier outcomes of a command; empty without any. */
function describeEarlier(outcomes: readonly LogLine[]): string {
  const failures = failuresIn(outcomes);
  const latest = failures.at(-1)?.members;
  if (!latest) return '';
  const count = counted(failures.length, 'failure');
  return `  before that: ${count} under the same id, the last at ${said(latest['time'])} with ${said(latest['outcome'])}\n`;
}

const keyOf = ({ members: { operator, id } }: LogLine): string => JSON.stringify([operator, id]);

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
  const away = before.findLast(({ event }) => event === 'broker.unavailable');
  if (!away || !LATE.has(outcome)) return '';
  return `the broker was not available at ${said(away['time'])}: ${said(away['reason'])}`;
}
