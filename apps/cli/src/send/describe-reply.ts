import { styleText } from 'node:util';

import { jsonOr } from '../input.ts';
import { memberLines, printable, shortened, written } from '../output.ts';

const LONGEST_DATA = 400;
const LONGEST_RECORD = 72;

type Body = Readonly<Record<string, unknown>>;

export function describeCommand({ type, id, text }: { type: string; id: string; text: string }): string {
  const data = shortened(printable(text.replace(/\s*\n\s*/g, ' ').trim()), LONGEST_DATA);
  return `${styleText('cyan', '→')} ${printable(type)} ${data} ${styleText('dim', `id ${printable(id)}`)}\n`;
}

/** A reply, for people: a headline, and a line for each member. */
export function describeReply(type: string, text: string, afterMs: number): string {
  const arrow = styleText(type === 'command.failed' ? 'yellow' : 'green', '←');
  const headline = `${arrow} ${printable(type)} ${styleText('dim', `after ${afterMs} ms`)}`;
  return [headline, ...linesOf(type, text).map((line) => `    ${printable(line)}`), ''].join('\n');
}

function linesOf(type: string, text: string): string[] {
  const body = jsonOr(undefined, text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [text];
  if (type === 'command.failed') return failureLines(body as Body);
  if (type === 'report.page') return pageLines(body as Body);
  return memberLines(body);
}

function failureLines({ code, category, message, ...rest }: Body): string[] {
  const { violations, retryable, command: _command, occurredAt: _occurredAt, ...others } = rest;
  const faults = Array.isArray(violations) ? (violations as Body[]) : [];
  return [
    `${written(code)} (${written(category)}): ${written(message)}`,
    ...faults.map((fault) => `${written(fault['pointer'])} ${written(fault['message'])}`),
    retryable === true ? 'sending it again with the same id can succeed' : 'sending it again will not help',
    ...memberLines(others),
  ];
}

function pageLines({ page, pageCount, totalCount, records, precisions }: Body): string[] {
  const all = Array.isArray(records) ? (records as unknown[]) : [];
  return [
    `page ${written(page)} of ${written(pageCount)}, ${all.length} of ${written(totalCount)} records, decimals ${written(precisions)}`,
    ...all.slice(0, 1).map((record) => `the first: ${shortened(written(record), LONGEST_RECORD)}`),
  ];
}
