import { isFaultless, type Tally } from '../driver/workload.ts';
import { bottleneck, median, PARTS, type Shares, type Spread, spreadOf } from '../measure/measure.ts';
import type { Finish, Result, Sample } from '../runs/compare.ts';

/** One kind of worker over all rounds: medians. */
export interface Summary {
  readonly name: string;
  readonly label: string;
  readonly queueType: string;
  readonly cpuMsPerCommand: Spread;
  readonly cpuMsPerCommandAtRate: Spread;
  readonly commandsPerSecond: Spread;
  readonly shares: Shares;
  readonly boundBy: string;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly peakMemoryMb: Spread;
  readonly tally: Tally;
  readonly isFaultless: boolean;
}

export function summarize({ contestant, samples, finishes }: Result, processors: number): Summary {
  const shares = medianShares(samples.map((sample) => sample.shares));
  const tally = sumOf(finishes.map((finish) => finish.tally));
  return {
    ...contestant,
    cpuMsPerCommand: spreadOf(samples.map((sample) => sample.cpuMsPerCommand)),
    cpuMsPerCommandAtRate: spreadOf(samples.map((sample) => sample.cpuMsPerCommandAtRate)),
    commandsPerSecond: spreadOf(samples.map((sample) => sample.commandsPerSecond)),
    shares,
    boundBy: bottleneck(shares, processors),
    p50Ms: spreadOf(samples.map((sample) => sample.p50Ms)),
    p99Ms: spreadOf(samples.map((sample) => sample.p99Ms)),
    peakMemoryMb: peakMemoryMb(finishes),
    tally,
    isFaultless: isFaultless(tally),
  };
}

/** Decimal megabytes. */
export function peakMemoryMb(finishes: readonly Finish[]): Spread {
  return spreadOf(finishes.map(({ peakMemoryMib }) => (peakMemoryMib * 1_024 ** 2) / 1e6));
}

function medianShares(all: readonly Shares[]): Shares {
  const parts = Object.fromEntries(PARTS.map((part) => [part, median(all.map((one) => one.parts[part]))]));
  return { parts: parts as Shares['parts'], machine: median(all.map(({ machine }) => machine)) };
}

function sumOf(tallies: readonly Tally[]): Tally {
  const sum = (of: (tally: Tally) => number): number =>
    tallies.reduce((total, tally) => total + of(tally), 0);
  return {
    sent: sum(({ sent }) => sent),
    right: sum(({ right }) => right),
    wrong: sum(({ wrong }) => wrong),
    double: sum(({ double }) => double),
    stray: sum(({ stray }) => stray),
    missing: sum(({ missing }) => missing),
  };
}

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
