import { stripVTControlCharacters } from 'node:util';

import { printable } from '../output/printable.ts';

/** A line that a worker logged. */
export interface LogLine {
  /** The JSON alone. */
  readonly text: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds; 0 if the line has no readable time. */
  readonly timeMs: number;
  /** What the collector of logs wrote before the JSON, such as the name of a container; empty if it wrote none. */
  readonly worker: string;
}

/** What collectors add to each line and what does not name a worker: times, the stream, separators. */
const NO_NAME = /\d{4}-\d{2}-\d{2}T\S+|\bstd(?:out|err) [FP]\b|[[\]|]/g;

/**
 * Reads a line of a log. What gathers logs writes its own before the JSON: a container's name, a time, colours.
 *
 * @returns undefined if no worker wrote the line
 */
export function readLogLine(text: string): LogLine | undefined {
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) {
    const json = text.slice(at).trimEnd();
    const members = parsed(json);
    if (!members || typeof members['msg'] !== 'string') continue;
    const timeMs = Date.parse(String(members['time']));
    const worker = stripVTControlCharacters(text.slice(0, at)).replace(NO_NAME, ' ').trim();
    return { text: json, members, timeMs: Number.isNaN(timeMs) ? 0 : timeMs, worker };
  }
  return undefined;
}

function parsed(json: string): Record<string, unknown> | undefined {
  if (!json.endsWith('}')) return undefined;
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** A member of a line for people. */
export function written(value: unknown): string {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(written).join(' ');
  return printable(JSON.stringify(value) ?? '');
}
