import { setTimeout as sleep } from 'node:timers/promises';

import { OurWorkers } from '../contestants/our-workers.ts';
import { startPlatform } from '../platform/start-platform.ts';
import { createWorkplace } from '../stage/workplace.ts';
import { SoakCaller, type SoakTally } from './soak-caller.ts';
import { type SoakSample, SoakSampler } from './soak-sample.ts';

export interface SoakOptions {
  /** Of a broker of our own. */
  readonly amqpUrl: string;
  readonly forMs: number;
  /** Default 100. */
  readonly perSecond?: number;
  /** How often the worker is looked at; default 2 s. */
  readonly everyMs?: number;
  readonly onSample?: (sample: SoakSample, tally: SoakTally) => void;
}

export interface SoakResult {
  readonly samples: readonly SoakSample[];
  readonly tally: SoakTally;
  /** Commands without a final reply. */
  readonly missing: number;
  /** Dead letters beyond, or short of, the commands that break the contract. */
  readonly strayDeadLetters: number;
  readonly faults: readonly string[];
  /** Whether every command got exactly its own replies, and nothing is left behind. */
  readonly isFaultless: boolean;
}

const LATENCY_MS = 20;
/** A worker's own default. */
const PREFETCH = 64;
const PATIENCE_MS = 30_000;

/** One worker under a steady load of all four commands, with failures and repeats among them. */
export async function soak({
  amqpUrl,
  forMs,
  perSecond = 100,
  everyMs = 2_000,
  onSample = () => undefined,
}: SoakOptions): Promise<SoakResult> {
  using workplace = await createWorkplace();
  await using platform = await startPlatform(workplace, LATENCY_MS, 'all-operations');
  await using worker = await OurWorkers.start(
    { workplace, amqpUrl, platform: platform.variables, prefetch: PREFETCH },
    { variables: { LOG_LEVEL: 'warn' } },
  );
  await using caller = await SoakCaller.open(amqpUrl, worker.prefix);
  const sampler = new SoakSampler(worker, caller);
  const samples: SoakSample[] = [];
  const look = async (): Promise<void> => {
    const sample = await sampler.sample();
    samples.push(sample);
    onSample(sample, caller.tally);
  };
  const untilMs = performance.now() + forMs;
  const stop = new AbortController();
  const sending = caller.send(perSecond, stop.signal);
  try {
    while (performance.now() + everyMs <= untilMs) {
      await sleep(everyMs);
      await look();
    }
  } finally {
    stop.abort();
    await sending;
  }
  await caller.settle(PATIENCE_MS);
  await look();
  const strayDeadLetters = (samples.at(-1)?.kept ?? 0) - caller.refused;
  const { tally, underWay: missing, faults } = caller;
  const isFaultless = tally.right === tally.sent && tally.beyond === 0 && strayDeadLetters === 0;
  return { samples, tally, missing, strayDeadLetters, faults, isFaultless };
}
