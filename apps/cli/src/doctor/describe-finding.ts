import { styleText } from 'node:util';

import { printable } from '../output/printable.ts';
import type { Finding } from './finding.ts';

const COLOUR_OF_STATE = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
const SUBJECT_WIDTH = 16;

/** One finding for people: its state, what was looked at, what was found, and below it what to do. */
export function describeFinding({ subject, state, message, advice }: Finding): string {
  const head = `${styleText(COLOUR_OF_STATE[state], state.padEnd(5))} ${subject.padEnd(SUBJECT_WIDTH)} `;
  const lines = [`${head}${printable(message)}`];
  if (advice !== undefined) lines.push(`${' '.repeat(6 + SUBJECT_WIDTH + 1)}→ ${printable(advice)}`);
  return `${lines.join('\n')}\n`;
}

/** The last line: how many of each state there are. */
export function describeSum(findings: readonly Finding[]): string {
  const count = (state: Finding['state']): number =>
    findings.filter((finding) => finding.state === state).length;
  return `\n${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} at fault\n`;
}
