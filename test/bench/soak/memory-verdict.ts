import type { SoakSample } from './soak-sample.ts';
import { type Trend, trendOf } from './trend.ts';

/** Whether the memory of a worker stays as it is. */
export interface MemoryVerdict {
  /** Of what is in use after collections: MiB an hour, by least squares after the warm-up. */
  readonly inUse: Trend;
  /** The most that was resident in each half of the run. */
  readonly residentPeaksMib: readonly [number, number];
  /** `undefined` where the run is too short to tell. */
  readonly isFlat: boolean | undefined;
}

/** A worker is warm once it has forgotten the first command that it remembers for repeats: a minute, and a half more. */
const WARM_UP_SECONDS = 90;
/** Between collections of the whole heap, which come about once a minute, it grows; what it falls back to is what counts. */
const WINDOW_SECONDS = 60;
/** Of a run, so that it has some windows at least. */
const SMALLEST_WINDOW_SHARE = 1 / 8;
/** Growth below so much of the mean in an hour is none. */
const NEGLIGIBLE_SHARE = 0.05;
/** What is resident moves in steps, as Node.js takes and returns memory; beyond this it grows. */
const RESIDENT_STEP = 1.1;
const HOUR_SECONDS = 3_600;
const SHORTEST_SECONDS = 240;

export function memoryVerdict(samples: readonly SoakSample[]): MemoryVerdict {
  const lastSecond = samples.at(-1)?.atSeconds ?? 0;
  const inUse = trendOf(floorsOf(samples, Math.min(WINDOW_SECONDS, lastSecond * SMALLEST_WINDOW_SHARE)));
  const halves = [
    samples.filter(({ atSeconds }) => atSeconds <= lastSecond / 2),
    samples.filter(({ atSeconds }) => atSeconds > lastSecond / 2),
  ];
  const [first = 0, second = 0] = halves.map((half) => Math.max(0, ...half.map(({ rssMib }) => rssMib)));
  const isGrowing = inUse.slope > 2 * inUse.slopeError && inUse.slope > NEGLIGIBLE_SHARE * inUse.mean;
  return {
    inUse,
    residentPeaksMib: [first, second],
    isFlat: lastSecond < SHORTEST_SECONDS ? undefined : !isGrowing && second <= first * RESIDENT_STEP,
  };
}

/** The least that is in use within each window, over hours. */
function floorsOf(samples: readonly SoakSample[], windowSeconds: number): { x: number; y: number }[] {
  const floors = new Map<number, number>();
  for (const { atSeconds, inUseMib } of samples) {
    if (atSeconds < WARM_UP_SECONDS) continue;
    const window = Math.floor(atSeconds / windowSeconds);
    floors.set(window, Math.min(floors.get(window) ?? Infinity, inUseMib));
  }
  return [...floors].map(([window, y]) => ({ x: (window * windowSeconds) / HOUR_SECONDS, y }));
}
