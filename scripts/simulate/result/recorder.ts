import type { SimulatedBroker, SimulatedCommand } from '../broker/simulated-broker.ts';
import type { Workers } from '../load/workers.ts';
import type { PlatformLoad } from '../platform/simulated-platform.ts';
import type { Outcome } from '../worker/simulated-worker.ts';

/** What happened in one second, and how things stood at its end. */
export interface Sample {
  readonly atMs: number;
  /** Commands of players and reports that came in. */
  readonly arrived: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Of the players' commands that were answered, milliseconds; `undefined` if none was. */
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  readonly ready: number;
  readonly inFlight: number;
  readonly waitingForRetry: number;
  readonly calls: number;
  /** At any moment of that second. */
  readonly mostCallsAtOnce: number;
  readonly workers: number;
  /** Of all workers. */
  readonly openCircuits: number;
}

/** One answered command. */
export interface Answered {
  readonly type: SimulatedCommand['type'];
  readonly sentAtMs: number;
  readonly tookMs: number;
  readonly outcome: Outcome;
}

export interface Recorded {
  readonly broker: SimulatedBroker;
  readonly platform: PlatformLoad;
  readonly workers: Workers;
}

const SECOND_MS = 1_000;

/** Notes every answer, and takes a sample each second. */
export class Recorder {
  readonly answered: Answered[] = [];
  readonly samples: Sample[] = [];
  #sampled = { sent: 0, answered: 0, calls: 0 };

  note({ type, sentAtMs }: SimulatedCommand, outcome: Outcome): void {
    this.answered.push({ type, sentAtMs, tookMs: Date.now() - sentAtMs, outcome });
  }

  start(recorded: Recorded): void {
    setInterval(() => this.#sample(recorded), SECOND_MS);
  }

  #sample({ broker, platform, workers }: Recorded): void {
    const before = this.#sampled;
    this.#sampled = { sent: broker.sent, answered: this.answered.length, calls: platform.calls };
    const answers = this.answered.slice(before.answered);
    const succeeded = answers.filter(({ outcome }) => outcome === 'success').length;
    const waits = answers
      .filter(({ type }) => !type.startsWith('report.'))
      .map(({ tookMs }) => tookMs)
      .sort((a, b) => a - b);
    this.samples.push({
      atMs: Date.now(),
      arrived: broker.sent - before.sent,
      succeeded,
      failed: answers.length - succeeded,
      p50Ms: quantile(waits, 0.5),
      p99Ms: quantile(waits, 0.99),
      ready: broker.ready,
      inFlight: broker.unacknowledged,
      waitingForRetry: broker.waitingForRetry,
      calls: platform.calls - before.calls,
      mostCallsAtOnce: platform.mostInFlight,
      workers: workers.count,
      openCircuits: workers.openCircuits,
    });
    platform.mostInFlight = platform.inFlight;
  }
}

/** The smallest of sorted values that at least the share `q` of them does not exceed. */
export function quantile(sorted: readonly number[], q: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];
}
