import { until } from '../../support/until.ts';
import { OurWorkers, type OurWorkersOptions } from '../contestants/ours.ts';
import { isFaultless, type Tally } from '../driver/ledger.ts';
import { LoadDriver } from '../driver/load-driver.ts';
import type { Workload } from '../driver/workload.ts';
import type { Stage } from '../stage/stage.ts';

/** One size of what grows. */
export interface Size extends OurWorkersOptions {
  /** As the table calls it, for example `100`. */
  readonly label: string;
  /** Default: `session.create` for the operator `default`. */
  readonly workload?: Workload;
  /** Commands under way; more than may be in hand, so that some always wait. */
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

/** Workers of one size, warm, and the driver that holds the answers to all that they were ever sent. */
export class Trial implements AsyncDisposable {
  readonly #size: Size;
  readonly #workers: OurWorkers;
  readonly #driver: LoadDriver;

  private constructor(size: Size, workers: OurWorkers, driver: LoadDriver) {
    this.#size = size;
    this.#workers = workers;
    this.#driver = driver;
  }

  static async start(stage: Stage, size: Size): Promise<Trial> {
    const workers = await OurWorkers.start(stage, size);
    const driver = await LoadDriver.open({
      url: stage.amqpUrl,
      dialect: workers.dialect,
      ...(size.workload && { workload: size.workload }),
    });
    const trial = new Trial(size, workers, driver);
    await trial.measure();
    return trial;
  }

  async measure(): Promise<Measurement> {
    const { inFlight, commands } = this.#size;
    const [before, cpuMs] = [await this.#workers.answered(), this.#workers.cpuMs];
    const load = await this.#driver.closedLoop({ inFlight, commands });
    const usedMs = this.#workers.cpuMs - cpuMs;
    const expected = sumOf(before) + load.commands;
    // A worker counts a command when it has acknowledged it, which is after its answer.
    const after = await until('every answer is counted', async () => {
      const counts = await this.#workers.answered();
      return sumOf(counts) >= expected && counts;
    });
    return {
      cpuMsPerCommand: usedMs / load.commands,
      commandsPerSecond: (load.commands / load.elapsedMs) * 1_000,
      memoryMib: this.#workers.memoryMib,
      shares: after.map((count, index) => (count - (before[index] ?? 0)) / load.commands),
    };
  }

  /** @throws {Error} where not each command got exactly one right answer */
  async finish(): Promise<void> {
    const tally: Tally = await this.#driver.settle();
    if (isFaultless(tally)) return;
    throw new Error(`not each command was answered once and right: ${JSON.stringify(tally)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#driver[Symbol.asyncDispose]();
    await this.#workers[Symbol.asyncDispose]();
  }
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
