import { styleText } from 'node:util';

import type { BusReply } from '#caller';
import { exactJson } from '#signing';

import type { Scene } from './story.ts';

const LONGEST_VALUE = 72;

/** A step of the set-up, with the time that it took. */
export async function step<T>(what: string, work: () => Promise<T>, tell: (result: T) => string): Promise<T> {
  const startedAtMs = Date.now();
  const result = await work();
  const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
  process.stdout.write(`  ${what.padEnd(10)}${tell(result)} ${styleText('dim', `(${seconds} s)`)}\n`);
  return result;
}

export function printCommand({ title, type, data }: Scene): void {
  process.stdout.write(`\n${styleText('bold', title)}\n`);
  process.stdout.write(`  ${styleText('cyan', '→')} ${type} ${styleText('dim', JSON.stringify(data))}\n`);
}

export function printReply({ type, data }: BusReply, afterMs: number): void {
  const arrow = type === 'command.failed' ? styleText('yellow', '←') : styleText('green', '←');
  process.stdout.write(`  ${arrow} ${type} ${styleText('dim', `after ${afterMs} ms`)}\n`);
  for (const line of linesOf(type, { ...data })) process.stdout.write(`      ${line}\n`);
}

function linesOf(type: string, body: Record<string, unknown>): string[] {
  if (type === 'command.failed') {
    const violations = (body['violations'] ?? []) as { pointer: string; message: string }[];
    return [
      `${String(body['code'])} (${String(body['category'])}): ${String(body['message'])}`,
      ...violations.map(({ pointer, message }) => `${pointer} ${message}`),
    ];
  }
  if (type === 'report.page') {
    const records = body['records'] as unknown[];
    return [
      `page ${String(body['page'])} of ${String(body['pageCount'])}, ${records.length} records, the first:`,
      short(records[0]),
    ];
  }
  return Object.entries(body).map(([name, value]) => `${name}: ${short(value)}`);
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : exactJson(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
