import { setTimeout as sleep } from 'node:timers/promises';

import { openConnection } from '../../support/broker.ts';
import { OurWorkers } from '../contestants/ours.ts';
import { isFaultless, type Tally } from '../driver/ledger.ts';
import { LoadDriver } from '../driver/load-driver.ts';
import { startPlatform } from '../platform/start-platform.ts';
import { createWorkplace } from '../stage/workplace.ts';
import { MixedWorkload } from './mixed-workload.ts';
import { type SoakSample, SoakSampler } from './soak-sample.ts';

export interface SoakOptions {
  /** Of a broker of our own. */
  readonly amqpUrl: string;
  readonly forMs: number;
  /** Default 100. */
  readonly perSecond?: number;
  /** How often the worker is looked at; default 2 s. */
  readonly everyMs?: number;
  readonly onSample?: (sample: SoakSample, tally: Tally) => void;
}

export interface SoakResult {
  readonly samples: readonly SoakSample[];
  readonly tally: Tally;
  /** Commands with replies before, or beyond, their final one. */
  readonly unfinished: number;
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
  await using broker = await openConnection(amqpUrl);
  const workload = new MixedWorkload(worker.prefix);
  await using driver = await LoadDriver.open({
    url: amqpUrl,
    dialect: workload,
    workload,
    patienceMs: PATIENCE_MS,
  });
  const sampler = new SoakSampler(worker, driver, broker.channel);
  const samples: SoakSample[] = [];
  const look = async (): Promise<void> => {
    const sample = await sampler.sample();
    samples.push(sample);
    onSample(sample, driver.tally);
  };
  const lookUntil = async (endMs: number): Promise<void> => {
    while (performance.now() + everyMs <= endMs) {
      await sleep(everyMs);
      await look();
    }
  };
  await Promise.all([driver.openLoop({ perSecond, forMs }), lookUntil(performance.now() + forMs)]);
  const tally = await driver.settle();
  await look();
  const strayDeadLetters = (samples.at(-1)?.kept ?? 0) - workload.refused;
  const { faults, unfinished } = workload;
  const isRight = isFaultless(tally) && unfinished === 0 && strayDeadLetters === 0;
  return { samples, tally, unfinished, strayDeadLetters, faults, isFaultless: isRight };
}
