import { isSound, type PlayOptions, playRow, type RowResult } from './play-row.ts';
import { mixture } from './rows/mixture.ts';
import type { ChaosStage } from './stage/chaos-stage.ts';

export interface Sample {
  readonly atSeconds: number;
  /** The memory in use: the heap, and the memory of Node.js outside it, in MiB. */
  readonly inUseMib: number;
  /** Resident memory outside the heap, in MiB. */
  readonly outsideHeapMib: number;
  readonly openFiles: number;
}

export interface SoakChaosResult {
  readonly row: RowResult;
  /** The faults, each with the number of times that it was applied. */
  readonly faults: ReadonlyMap<string, number>;
  readonly samples: readonly Sample[];
  /** A reason for each measure that grew in the worker that ran throughout; empty if none grew. */
  readonly growth: readonly string[];
  /** True if nothing was lost and nothing grew. */
  readonly isSound: boolean;
}

const EVERY_MS = 2_000;
const MIB = 1024 * 1024;
/**
 * The idempotency TTL of one minute, plus half of it: until then the worker remembers more with each command.
 */
const WARM_UP_SECONDS = 90;
/** V8 collects the whole heap about once a minute. */
const WINDOW_SECONDS = 75;
/** The minimum number of windows for a meaningful slope. */
const FEWEST_WINDOWS = 4;
/** Tolerated growth of memory, as a share of its first floor. */
const NEGLIGIBLE_SHARE = 0.1;
/** Tolerated growth of open files, because sockets to a platform open and close. */
const NEGLIGIBLE_FILES = 20;

/** Runs load with random deployments and faults, and samples the worker that runs throughout. */
export async function soakChaos(options: PlayOptions): Promise<SoakChaosResult> {
  const samples: Sample[] = [];
  const faults = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let played: ChaosStage | undefined;
  try {
    const row = await playRow(mixture, {
      ...options,
      onStage: (stage) => {
        played = stage;
        const startedMs = performance.now();
        timer = setInterval(
          () => void sampleWorker(stage, startedMs).then((sample) => samples.push(...sample)),
          EVERY_MS,
        );
      },
    });
    for (const { what } of played?.happenings ?? []) {
      const name = /^(.+): over$/.exec(what)?.[1];
      if (name !== undefined) faults.set(name, (faults.get(name) ?? 0) + 1);
    }
    const growth = growthIn(samples);
    return { row, faults, samples, growth, isSound: isSound(row) && growth.length === 0 };
  } finally {
    clearInterval(timer);
  }
}

async function sampleWorker(stage: ChaosStage, startedMs: number): Promise<readonly Sample[]> {
  // A busy worker may not answer in time; the next sample replaces this one.
  const page = await stage.workers.programs[0]?.get('/metrics').catch(() => undefined);
  if (page === undefined) return [];
  const metric = (name: string): number =>
    Number(new RegExp(`^${name} (.+)$`, 'm').exec(page.body)?.[1] ?? Number.NaN);
  const mib = (name: string): number => metric(name) / MIB;
  return [
    {
      atSeconds: (performance.now() - startedMs) / 1_000,
      inUseMib: mib('nodejs_heap_size_used_bytes') + mib('nodejs_external_memory_bytes'),
      outsideHeapMib: mib('process_resident_memory_bytes') - mib('nodejs_heap_size_total_bytes'),
      openFiles: metric('process_open_fds'),
    },
  ];
}

/**
 * Returns a reason for each measure that grew after the warm-up; empty if none grew or the run was too short.
 *
 * Memory in use is a sawtooth. Each window contains at least one collection of the whole heap, so that the
 * floor of a window is the memory that the worker retains. The median slope between floors ignores single
 * steps and outliers.
 */
export function growthIn(samples: readonly Sample[]): readonly string[] {
  const windows = [
    ...Map.groupBy(
      samples.filter(({ atSeconds }) => atSeconds >= WARM_UP_SECONDS),
      ({ atSeconds }) => Math.floor((atSeconds - WARM_UP_SECONDS) / WINDOW_SECONDS),
    ).values(),
  ];
  // The last window may be too short for a collection.
  const whole = windows.slice(0, -1);
  if (whole.length < FEWEST_WINDOWS) return [];
  const measured = [
    { what: 'MiB in use', of: ({ inUseMib }: Sample) => inUseMib },
    { what: 'MiB outside of the heap', of: ({ outsideHeapMib }: Sample) => outsideHeapMib },
    { what: 'open files', of: ({ openFiles }: Sample) => openFiles, negligible: NEGLIGIBLE_FILES },
  ];
  return measured.flatMap(({ what, of, negligible }) => {
    const floors = whole.map((samplesOfWindow) => Math.min(...samplesOfWindow.map(of)));
    const by = medianSlope(floors) * (floors.length - 1);
    if (by <= (negligible ?? NEGLIGIBLE_SHARE * (floors[0] ?? 0))) return [];
    const least = floors.map((floor) => floor.toFixed(0)).join(', ');
    return [`${what} grew by ${by.toFixed(0)}: the least of each ${WINDOW_SECONDS} s was ${least}`];
  });
}

/** Returns the median of the slopes between all pairs of values (Theil and Sen). */
function medianSlope(values: readonly number[]): number {
  const slopes = values
    .flatMap((value, at) => values.slice(0, at).map((earlier, from) => (value - earlier) / (at - from)))
    .toSorted((a, b) => a - b);
  return slopes[Math.floor(slopes.length / 2)] ?? 0;
}
