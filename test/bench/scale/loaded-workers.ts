import { OurWorkers, type OurWorkersOptions } from '../contestants/ours.ts';
import { isFaultless } from '../driver/ledger.ts';
import { LoadDriver } from '../driver/load-driver.ts';
import type { Workload } from '../driver/workload.ts';
import type { Stage } from '../stage/stage.ts';

/** Workers, and the driver that holds the answers to all that they were ever sent. */
export class LoadedWorkers implements AsyncDisposable {
  readonly workers: OurWorkers;
  readonly driver: LoadDriver;

  private constructor(workers: OurWorkers, driver: LoadDriver) {
    this.workers = workers;
    this.driver = driver;
  }

  /** @param workload default: `session.create` for the operator `default` */
  static async start(stage: Stage, options: OurWorkersOptions, workload?: Workload): Promise<LoadedWorkers> {
    const workers = await OurWorkers.start(stage, options);
    const driver = await LoadDriver.open({
      url: stage.amqpUrl,
      dialect: workers.dialect,
      ...(workload && { workload }),
    });
    return new LoadedWorkers(workers, driver);
  }

  /** @throws {Error} if not each command got exactly one right answer */
  async finish(): Promise<void> {
    const tally = await this.driver.settle();
    if (isFaultless(tally)) return;
    throw new Error(`not each command was answered once and right: ${JSON.stringify(tally)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.driver[Symbol.asyncDispose]();
    await this.workers[Symbol.asyncDispose]();
  }
}
