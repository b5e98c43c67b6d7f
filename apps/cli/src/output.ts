import { styleText } from 'node:util';

import { exactJson } from '#signing';

import { isObject, jsonOr } from './input.ts';

const LONGEST_DATA = 400;
const LONGEST_RECORD = 72;

type Body = Readonly<Record<string, unknown>>;

/** Escapes control characters, which could manipulate a terminal. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Returns JSON on one line, digit for digit. Line separators of Unicode and control characters are escaped.
 */
export function jsonLine(value: unknown): string {
  return printable(exactJson(value));
}

export function written(value: unknown): string {
  return typeof value === 'string' ? value : exactJson(value);
}

/** Returns a line for each defined member: amqplib sets absent properties to undefined. */
export function memberLines(of: object): string[] {
  const given = Object.entries(of).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name}: ${written(value)}`);
}

export function shortened(text: string, length: number): string {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text;
}

/** Returns a count with its noun: `1 record`, `2 records`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Aligns rows as a table; cells must be printable. @param numbers columns that are aligned to the right */
export function alignedLines(rows: readonly (readonly string[])[], ...numbers: readonly number[]): string[] {
  const widths: number[] = [];
  for (const cells of rows)
    for (const [column, cell] of cells.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows.map((cells) => {
    const padded = cells.map((cell, column) =>
      numbers.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    );
    return padded.join('  ').trimEnd();
  });
}

export function describeCommand({ type, id, text }: { type: string; id: string; text: string }): string {
  const data = shortened(printable(text.replace(/\s*\n\s*/g, ' ').trim()), LONGEST_DATA);
  return `${styleText('cyan', '→')} ${printable(type)} ${data} ${styleText('dim', `id ${printable(id)}`)}\n`;
}

export function describeReply(type: string, text: string, afterMs: number): string {
  const arrow = styleText(type === 'command.failed' ? 'yellow' : 'green', '←');
  const headline = `${arrow} ${printable(type)} ${styleText('dim', `after ${afterMs} ms`)}`;
  return [headline, ...linesOf(type, text).map((line) => `    ${printable(line)}`), ''].join('\n');
}

function linesOf(type: string, text: string): string[] {
  const body = jsonOr(undefined, text);
  if (!isObject(body)) return [text];
  if (type === 'command.failed') return failureLines(body);
  if (type === 'report.page') return pageLines(body);
  return memberLines(body);
}

function failureLines({ code, category, message, ...rest }: Body): string[] {
  const { violations, retryable, command: _command, occurredAt: _occurredAt, ...others } = rest;
  const faults = Array.isArray(violations) ? (violations as Body[]) : [];
  return [
    `${written(code)} (${written(category)}): ${written(message)}`,
    ...faults.map((fault) => `${written(fault['pointer'])} ${written(fault['message'])}`),
    retryable === true ? 'a retry with the same id can succeed' : 'a retry will not help',
    ...memberLines(others),
  ];
}

function pageLines({ page, pageCount, totalCount, records, precisions }: Body): string[] {
  const all = Array.isArray(records) ? (records as unknown[]) : [];
  return [
    `page ${written(page)} of ${written(pageCount)}, ${all.length} of ${written(totalCount)} records, ` +
      `decimals ${written(precisions)}`,
    ...all.slice(0, 1).map((record) => `the first: ${shortened(written(record), LONGEST_RECORD)}`),
  ];
}
