import { styleText } from 'node:util';

import { printable } from '../output.ts';

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
const SUBJECT_WIDTH = 16;

/** The result of one check. Its texts contain neither secrets nor players' data. */
export interface Finding {
  readonly subject: string;
  /** `warn`: it works, but may be a mistake. `fail`: a worker with these settings could not do its work. */
  readonly state: keyof typeof COLOURS;
  readonly message: string;
  /** The action to take; absent if nothing is wrong. */
  readonly advice: string | undefined;
}

const finding =
  (state: Finding['state']) =>
  (subject: string, message: string, advice?: string): Finding => ({ subject, state, message, advice });

export const [ok, warn, fail] = [finding('ok'), finding('warn'), finding('fail')];

export function describeFinding({ subject, state, message, advice }: Finding): string {
  const head = `${styleText(COLOURS[state], state.padEnd(5))} ${subject.padEnd(SUBJECT_WIDTH)} `;
  const below = advice === undefined ? '' : `${' '.repeat(SUBJECT_WIDTH + 7)}→ ${printable(advice)}\n`;
  return `${head}${printable(message)}\n${below}`;
}

export function describeSum(findings: readonly Finding[]): string {
  const count = (state: Finding['state']): number => findings.filter((each) => each.state === state).length;
  return `\n${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} at fault\n`;
}
