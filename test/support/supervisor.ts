import type { WorkerProcess } from '../../scripts/processes/worker-process.ts';

/** Restarts a worker whenever it ends, as an orchestrator does. */
export class Supervisor {
  /** The one that is running or starting. */
  worker: WorkerProcess;
  deaths = 0;
  readonly #start: () => WorkerProcess;
  #isStopped = false;

  constructor(start: () => WorkerProcess) {
    this.#start = start;
    this.worker = this.#next();
  }

  /** Stops restarting. */
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
