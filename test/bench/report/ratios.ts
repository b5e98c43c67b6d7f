import { type Spread, spreadOf } from '../measure/statistics.ts';
import type { Result } from '../runs/compare.ts';
import type { Sample } from '../runs/entrant.ts';

/** Processor time of a command here, for one there; round by round, since what the machine does meanwhile meets both. */
export interface Ratio {
  /** With whom it is compared. */
  readonly name: string;
  readonly label: string;
  readonly queueType: string;
  readonly fullSpeed: Spread;
  readonly atRate: Spread;
}

/** Ours against every peer that was measured, and against another checkout. */
export function ratiosOf(results: readonly Result[]): Ratio[] {
  const ours = results.find(({ contestant }) => contestant.name === 'ours');
  if (ours === undefined) return [];
  return results
    .filter((result) => result !== ours)
    .map(({ contestant, samples }) => {
      const ratio = (of: (sample: Sample) => number): Spread =>
        spreadOf(
          samples.flatMap((theirs, round) => {
            const sample = ours.samples[round];
            return sample === undefined ? [] : [of(sample) / of(theirs)];
          }),
        );
      return {
        ...contestant,
        fullSpeed: ratio(({ cpuMsPerCommand }) => cpuMsPerCommand),
        atRate: ratio(({ cpuMsPerCommandAtRate }) => cpuMsPerCommandAtRate),
      };
    });
}
