import { type Spread, spreadOf } from '../measure/statistics.ts';
import type { Result } from '../runs/compare.ts';

/** Processor time of a command here, for one there. */
export interface Ratio {
  readonly of: string;
  readonly to: string;
  readonly queueType: string;
  /** Round by round: what the machine does meanwhile meets both. */
  readonly ratio: Spread;
  /** What is wanted at most; `undefined` if nothing is. */
  readonly bound: number | undefined;
}

/** Issue: no more than the bare loop, and at most 0.7 of Nest's own transport. */
const BOUNDS: Readonly<Record<string, number>> = { bare: 1, nest: 0.7 };

/** Ours against every peer that was measured, and against another checkout. */
export function ratiosOf(results: readonly Result[]): Ratio[] {
  const ours = results.find(({ contestant }) => contestant.name === 'ours');
  if (ours === undefined) return [];
  return results
    .filter((result) => result !== ours)
    .map(({ contestant, samples }) => ({
      of: ours.contestant.label,
      to: contestant.label,
      queueType: contestant.queueType,
      ratio: spreadOf(
        samples.map(
          ({ cpuMsPerCommand }, round) =>
            (ours.samples[round]?.cpuMsPerCommand ?? Number.NaN) / cpuMsPerCommand,
        ),
      ),
      bound: BOUNDS[contestant.name.replace(/-(classic|quorum)$/, '')],
    }));
}
