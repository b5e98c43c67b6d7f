import type { WorkerProcess } from '../../support/worker-process.ts';

/** Starts a worker again whenever it ends, as an orchestrator does. */
export class Supervisor {
  /** The one that runs at this moment, or starts. */
  worker: WorkerProcess;
  deaths = 0;
  readonly #start: () => WorkerProcess;
  #isStopped = false;

  constructor(start: () => WorkerProcess) {
    this.#start = start;
    this.worker = this.#next();
  }

  /** Leaves the last one alone. */
  stop(): void {
    this.#isStopped = true;
  }

  #next(): WorkerProcess {
    const worker = this.#start();
    void this.#replace(worker);
    return worker;
  }

  async #replace(worker: WorkerProcess): Promise<void> {
    await worker.exited;
    if (this.#isStopped) return;
    this.deaths += 1;
    this.worker = this.#next();
  }
}
