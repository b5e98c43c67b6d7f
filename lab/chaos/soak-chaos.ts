import { isSound, type PlayOptions, playRow, type RowResult } from './play-row.ts';
import { mixture } from './rows/mixture.ts';
import type { ChaosStage } from './stage/chaos-stage.ts';

export interface Sample {
  readonly atSeconds: number;
  /** The heap in use and what Node.js keeps outside of it. */
  readonly inUseMib: number;
  /** Resident beside the heap. */
  readonly outsideHeapMib: number;
  readonly openFiles: number;
}

export interface SoakChaosResult {
  readonly row: RowResult;
  /** What was done to the service, each with how often. */
  readonly faults: ReadonlyMap<string, number>;
  readonly samples: readonly Sample[];
  /** Whether nothing was lost, and neither memory nor handles of the worker that lived throughout have grown. */
  readonly isSound: boolean;
}

const EVERY_MS = 2_000;
const MIB = 1024 * 1024;
/** A worker is warm once it has forgotten the first command that it remembers for repeats: a minute, and a half more. */
const WARM_UP_SECONDS = 90;
/** A shorter run says nothing: the whole heap is collected about once a minute. */
const SHORTEST_SECONDS = 240;
/** Growth of memory by so much of it is none. */
const NEGLIGIBLE_SHARE = 0.1;
/** Sockets to a platform come and go. */
const NEGLIGIBLE_FILES = 20;

/** Load with deployments and faults by chance; the worker that lives throughout is looked at. */
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
          () => void look(stage, startedMs).then((sample) => samples.push(...sample)),
          EVERY_MS,
        );
      },
    });
    for (const { what } of played?.happenings ?? []) {
      const name = /^(.+): over$/.exec(what)?.[1];
      if (name !== undefined) faults.set(name, (faults.get(name) ?? 0) + 1);
    }
    return { row, faults, samples, isSound: isSound(row) && !isGrowing(samples) };
  } finally {
    clearInterval(timer);
  }
}

async function look(stage: ChaosStage, startedMs: number): Promise<readonly Sample[]> {
  // A busy worker may not answer now.
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
 * Whether memory or open files grow: their least in the last quarter after the warm-up is more than in the first. Between
 * collections of the whole heap it grows anyway; what it falls back to is what counts.
 */
export function isGrowing(samples: readonly Sample[]): boolean {
  if ((samples.at(-1)?.atSeconds ?? 0) < SHORTEST_SECONDS) return false;
  const warm = samples.filter(({ atSeconds }) => atSeconds >= WARM_UP_SECONDS);
  const quarter = Math.floor(warm.length / 4);
  const leastOf = (part: readonly Sample[], of: (sample: Sample) => number): number =>
    Math.min(...part.map(of));
  const growth = (of: (sample: Sample) => number) => {
    const before = leastOf(warm.slice(0, quarter), of);
    return { before, by: leastOf(warm.slice(-quarter), of) - before };
  };
  const memory = [growth(({ inUseMib }) => inUseMib), growth(({ outsideHeapMib }) => outsideHeapMib)];
  return (
    memory.some(({ before, by }) => by > NEGLIGIBLE_SHARE * before) ||
    growth(({ openFiles }) => openFiles).by > NEGLIGIBLE_FILES
  );
}
