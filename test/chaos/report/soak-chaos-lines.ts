import { resultLine } from './result-line.ts';
import type { SoakChaosResult } from '../soak-chaos.ts';

/** What a run with faults by chance has come to, for people. */
export function soakChaosLines({ row, faults, samples, isSound }: SoakChaosResult): readonly string[] {
  const range = (of: (sample: SoakChaosResult['samples'][number]) => number): string => {
    const values = samples.map(of);
    return `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
  };
  return [
    [...faults].map(([what, times]) => `${what} ${times}×`).join(', '),
    resultLine(row),
    `the worker that lived throughout: ${range(({ inUseMib }) => inUseMib)} MiB in use, ` +
      `${range(({ openFiles }) => openFiles)} files open`,
    ...row.stories.map((story) => `    ${story}`),
    isSound ? 'nothing lost; memory and handles are flat' : 'NOT SOUND',
  ];
}
