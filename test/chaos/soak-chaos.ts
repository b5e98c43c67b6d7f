import { type MemorySample, memoryVerdict } from './memory-verdict.ts';
import { isSound, type PlayOptions, playRow, type RowResult } from './play-row.ts';
import { mixture } from './rows/mixture.ts';
import type { ChaosStage } from './stage/chaos-stage.ts';

interface Sample extends MemorySample {
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
    const isFlat = memoryVerdict(samples).isFlat !== false && !filesGrow(samples);
    return { row, faults, samples, isSound: isSound(row) && isFlat };
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

/** Whether the least that were open in the last quarter are more than in the first. */
function filesGrow(samples: readonly Sample[]): boolean {
  const quarter = Math.floor(samples.length / 4);
  const least = (part: readonly Sample[]): number => Math.min(...part.map(({ openFiles }) => openFiles));
  return quarter > 0 && least(samples.slice(-quarter)) > least(samples.slice(0, quarter)) + NEGLIGIBLE_FILES;
}
