import type { SoakSample } from './soak-sample.ts';
import { type Trend, trendOf } from './trend.ts';

/** Whether one kind of memory stays as it is. */
export interface MemoryVerdict {
  /** MiB an hour, by least squares after the warm-up. */
  readonly trend: Trend;
  readonly isFlat: boolean;
}

/** A worker is warm once it has forgotten the first command that it remembers for repeats: a minute, and a half more. */
const WARM_UP_SECONDS = 90;
/** Of a short run, at least so much. */
const WARM_UP_SHARE = 0.25;
/** Between garbage collections a heap grows; what it falls back to is what counts. */
const FLOOR_SECONDS = 15;
/** Growth below so much of the mean in an hour is none. */
const NEGLIGIBLE_SHARE = 0.05;
const HOUR_SECONDS = 3_600;

export function memoryVerdict(
  samples: readonly SoakSample[],
  of: (sample: SoakSample) => number,
): MemoryVerdict {
  const lastSecond = samples.at(-1)?.atSeconds ?? 0;
  const warmUpSeconds = Math.max(Math.min(WARM_UP_SECONDS, lastSecond / 2), lastSecond * WARM_UP_SHARE);
  const floors = new Map<number, number>();
  for (const sample of samples) {
    if (sample.atSeconds < warmUpSeconds) continue;
    const window = Math.floor(sample.atSeconds / FLOOR_SECONDS);
    floors.set(window, Math.min(floors.get(window) ?? Infinity, of(sample)));
  }
  const points = [...floors].map(([window, y]) => ({ x: (window * FLOOR_SECONDS) / HOUR_SECONDS, y }));
  const trend = trendOf(points);
  const isCertain = trend.slope - 2 * trend.slopeError > 0;
  return { trend, isFlat: !isCertain || trend.slope < NEGLIGIBLE_SHARE * trend.mean };
}
