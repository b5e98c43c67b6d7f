import { until } from '../../support/until.ts';
import type { OurWorkersOptions } from '../contestants/ours.ts';
import type { Workload } from '../driver/workload.ts';
import type { Stage } from '../stage/stage.ts';
import { LoadedWorkers } from './loaded-workers.ts';

/** One size of what grows. */
export interface Size extends OurWorkersOptions {
  /** As the table calls it, for example `100`. */
  readonly label: string;
  /** Default: `session.create` for the operator `default`. */
  readonly workload?: Workload;
  /** Commands under way; more than may be in flight, so that some always wait. */
  readonly inFlight: number;
  /** Of one measurement. */
  readonly commands: number;
}

export interface Measurement {
  readonly cpuMsPerCommand: number;
  readonly commandsPerSecond: number;
  readonly memoryMib: number;
  /** Of the commands, what each worker did: 0 to 1. */
  readonly shares: readonly number[];
}

/** Workers of one size, warm, under load. */
export class Trial implements AsyncDisposable {
  readonly #size: Size;
  readonly #loaded: LoadedWorkers;

  private constructor(size: Size, loaded: LoadedWorkers) {
    this.#size = size;
    this.#loaded = loaded;
  }

  static async start(stage: Stage, size: Size): Promise<Trial> {
    const trial = new Trial(size, await LoadedWorkers.start(stage, size, size.workload));
    await trial.measure();
    return trial;
  }

  async measure(): Promise<Measurement> {
    const { inFlight, commands } = this.#size;
    const { workers, driver } = this.#loaded;
    const [before, cpuMs] = [await workers.answered(), workers.cpuMs];
    const load = await driver.closedLoop({ inFlight, commands });
    const usedMs = workers.cpuMs - cpuMs;
    const expected = sumOf(before) + load.commands;
    // A worker counts a command when it has acknowledged it, which is after its answer.
    const after = await until('every answer is counted', async () => {
      const counts = await workers.answered();
      return sumOf(counts) >= expected && counts;
    });
    return {
      cpuMsPerCommand: usedMs / load.commands,
      commandsPerSecond: (load.commands / load.elapsedMs) * 1_000,
      memoryMib: workers.memoryMib,
      shares: after.map((count, index) => (count - (before[index] ?? 0)) / load.commands),
    };
  }

  /** @throws {Error} if not each command got exactly one right answer */
  finish(): Promise<void> {
    return this.#loaded.finish();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#loaded[Symbol.asyncDispose]();
  }
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
