import { stripVTControlCharacters, styleText } from 'node:util';

import { printable, written } from '../output.ts';

export type LogLine = NonNullable<ReturnType<typeof readLogLine>>;

/** Parts of a collector's prefix that do not name a worker: times, the stream, separators. */
const NO_NAME = /\d{4}-\d{2}-\d{2}T\S+|\bstd(?:out|err) [FP]\b|[[\]|]/g;
const SILENT = ['event', 'correlationId', 'lane', 'subject'];
const COLOURS: Readonly<Record<string, 'red' | 'yellow'>> = { fatal: 'red', error: 'red', warn: 'yellow' };
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

export function said(value: unknown = ''): string {
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
