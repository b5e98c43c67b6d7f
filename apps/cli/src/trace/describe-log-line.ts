import { styleText } from 'node:util';

import { printable } from '../output/printable.ts';
import { type LogLine, written } from './log-line.ts';

/** What the first line tells, or what tells nothing to a person. */
const HEADLINE = new Set([
  'time',
  'level',
  'msg',
  'id',
  'type',
  'operator',
  'correlationId',
  'lane',
  'subject',
]);
const COLOUR_OF_LEVEL: Readonly<Record<string, 'red' | 'yellow'>> = {
  fatal: 'red',
  error: 'red',
  warn: 'yellow',
};

/**
 * A line of the log for people: what happened to which command, and below it the rest.
 *
 * @param hasWorkers whether the lines are of several workers, so that each is named
 */
export function describeLogLine({ members, worker }: LogLine, hasWorkers = false): string {
  const { time, level, msg, id, type, operator, ...rest } = members;
  const colour = COLOUR_OF_LEVEL[String(level)];
  const what = printable(String(msg));
  const whose = operator === undefined ? '' : ` of ${written(operator)}`;
  const command = id === undefined ? '' : ` ${written(type)} ${written(id)}${whose}`;
  const facts = Object.entries(rest)
    .filter(([name]) => !HEADLINE.has(name))
    .map(([name, value]) => `${printable(name)} ${written(value)}`);
  const where = hasWorkers && worker !== '' ? ` [${printable(worker)}]` : '';
  const headline = `${written(time)}${where} ${colour ? styleText(colour, what) : what}${command}`;
  return facts.length === 0 ? `${headline}\n` : `${headline}\n    ${facts.join(', ')}\n`;
}
