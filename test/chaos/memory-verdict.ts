/** What is looked at of a sample. */
export interface MemorySample {
  readonly atSeconds: number;
  /** The heap in use and what Node.js keeps outside of it. */
  readonly inUseMib: number;
  /** Resident beside the heap. */
  readonly outsideHeapMib: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A straight line through points, by least squares. */
export interface Trend {
  /** The growth of `y` for one of `x`. */
  readonly slope: number;
  /** Standard error of the slope: how far chance alone may move it. */
  readonly slopeError: number;
  readonly mean: number;
}

/** Whether the memory of a worker stays as it is. */
export interface MemoryVerdict {
  /** What is in use after collections: MiB an hour, by least squares after the warm-up. */
  readonly inUse: Trend;
  /** The same of what is resident beside the heap. */
  readonly outsideHeap: Trend;
  /** `undefined` if the run is too short to tell. */
  readonly isFlat: boolean | undefined;
}

/** A worker is warm once it has forgotten the first command that it remembers for repeats: a minute, and a half more. */
const WARM_UP_SECONDS = 90;
/** Between collections of the whole heap, which come about once a minute, it grows; what it falls back to is what counts. */
const WINDOW_SECONDS = 60;
/** A short run has shorter windows, so that it has some. */
const SMALLEST_WINDOW_SHARE = 1 / 8;
/** Growth below so much of the mean in an hour is none. */
const NEGLIGIBLE_SHARE = 0.1;
const HOUR_SECONDS = 3_600;
const SHORTEST_SECONDS = 240;

export function memoryVerdict(samples: readonly MemorySample[]): MemoryVerdict {
  const lastSecond = samples.at(-1)?.atSeconds ?? 0;
  const windowSeconds = Math.min(WINDOW_SECONDS, lastSecond * SMALLEST_WINDOW_SHARE);
  const inUse = trendOf(floorsOf(samples, windowSeconds, ({ inUseMib }) => inUseMib));
  const outsideHeap = trendOf(floorsOf(samples, windowSeconds, ({ outsideHeapMib }) => outsideHeapMib));
  const isFlat = !isGrowing(inUse) && !isGrowing(outsideHeap);
  return { inUse, outsideHeap, isFlat: lastSecond < SHORTEST_SECONDS ? undefined : isFlat };
}

function isGrowing({ slope, slopeError, mean }: Trend): boolean {
  return slope > 2 * slopeError && slope > NEGLIGIBLE_SHARE * mean;
}

/** The least within each window, over hours. */
function floorsOf(
  samples: readonly MemorySample[],
  windowSeconds: number,
  of: (sample: MemorySample) => number,
): { x: number; y: number }[] {
  const floors = new Map<number, { x: number; y: number }>();
  for (const sample of samples) {
    if (sample.atSeconds < WARM_UP_SECONDS) continue;
    const window = Math.floor(sample.atSeconds / windowSeconds);
    const point = { x: sample.atSeconds / HOUR_SECONDS, y: of(sample) };
    if (point.y < (floors.get(window)?.y ?? Infinity)) floors.set(window, point);
  }
  return [...floors.values()];
}

/** @returns a slope of 0 and an unbounded error for fewer than three points */
function trendOf(points: readonly Point[]): Trend {
  const count = points.length;
  const mean = (of: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / count;
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)];
  if (count < 3) return { slope: 0, slopeError: Infinity, mean: meanY };
  const sum = (of: (point: Point) => number): number => points.reduce((total, point) => total + of(point), 0);
  const spread = sum(({ x }) => (x - meanX) ** 2);
  const slope = sum(({ x, y }) => (x - meanX) * (y - meanY)) / spread;
  const residual = sum(({ x, y }) => (y - meanY - slope * (x - meanX)) ** 2);
  return { slope, slopeError: Math.sqrt(residual / (count - 2) / spread), mean: meanY };
}
