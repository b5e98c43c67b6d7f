import type { Channel } from 'amqplib';

import type { OurWorkers } from '../contestants/ours.ts';
import type { LoadDriver } from '../driver/load-driver.ts';
import { processUsage } from '../measure/process-usage.ts';

/** What a look at the worker under soak saw. */
export interface SoakSample {
  readonly atSeconds: number;
  readonly rssMib: number;
  readonly heapUsedMib: number;
  /** The heap, and what its objects hold outside of it. */
  readonly inUseMib: number;
  /** What is resident and not part of the heap, whether that is used or not. */
  readonly outsideHeapMib: number;
  /** Of the worker since the look before, for one command. */
  readonly cpuMsPerCommand: number;
  /** The longest delay of the event loop since the look before. */
  readonly loopLagMs: number;
  /** Messages that wait in both lanes, and in quarantine. */
  readonly queued: number;
  /** Messages that are kept: dead letters and undelivered replies. */
  readonly kept: number;
  readonly answered: number;
}

const WAITING = ['interactive', 'reports', 'quarantine'];
const KEPT = ['dead-letters', 'replies.undelivered'];
const MIB = 1024 * 1024;

/** Samples a worker repeatedly; each sample covers the time since the one before. */
export class SoakSampler {
  readonly #worker: OurWorkers;
  readonly #driver: LoadDriver;
  readonly #channel: Channel;
  readonly #startedAtMs = performance.now();
  #cpuMs: number;
  #answered = 0;

  constructor(worker: OurWorkers, driver: LoadDriver, channel: Channel) {
    this.#worker = worker;
    this.#driver = driver;
    this.#channel = channel;
    this.#cpuMs = processUsage(worker.process.pid).cpuMs;
  }

  async sample(): Promise<SoakSample> {
    const { cpuMs, memoryMib } = processUsage(this.#worker.process.pid);
    const { right, wrong } = this.#driver.tally;
    const answered = right + wrong;
    const cpuMsPerCommand = (cpuMs - this.#cpuMs) / Math.max(1, answered - this.#answered);
    this.#cpuMs = cpuMs;
    this.#answered = answered;
    const metrics = await this.#metrics();
    const mib = (name: string): number => (metrics.get(name) ?? Number.NaN) / MIB;
    const heapUsedMib = mib('nodejs_heap_size_used_bytes');
    return {
      atSeconds: (performance.now() - this.#startedAtMs) / 1_000,
      rssMib: memoryMib,
      heapUsedMib,
      outsideHeapMib: memoryMib - mib('nodejs_heap_size_total_bytes'),
      inUseMib: heapUsedMib + mib('nodejs_external_memory_bytes'),
      cpuMsPerCommand,
      loopLagMs: (metrics.get('nodejs_eventloop_lag_max_seconds') ?? 0) * 1_000,
      queued: await this.#messagesIn(WAITING),
      kept: await this.#messagesIn(KEPT),
      answered,
    };
  }

  /** Those that have no labels, by name. */
  async #metrics(): Promise<ReadonlyMap<string, number>> {
    const [text = ''] = await this.#worker.metrics();
    return new Map(
      [...text.matchAll(/^(\w+) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
    );
  }

  async #messagesIn(queues: readonly string[]): Promise<number> {
    let sum = 0;
    for (const queue of queues) {
      sum += (await this.#channel.checkQueue(`${this.#worker.prefix}.${queue}`)).messageCount;
    }
    return sum;
  }
}
