import type { WorkerProcess } from '../../scripts/processes/worker-process.ts';

/** Restarts a worker whenever it ends, as an orchestrator does. */
export class Supervisor {
  /** The one that is running or starting. */
  worker: WorkerProcess;
  readonly #start: () => WorkerProcess;
  readonly #onEnd: (worker: WorkerProcess) => void;
  #isStopped = false;

  /** @param onEnd called with each that has ended, before it is replaced */
  constructor(start: () => WorkerProcess, onEnd: (worker: WorkerProcess) => void = () => undefined) {
    this.#start = start;
    this.#onEnd = onEnd;
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
    this.#onEnd(worker);
    this.worker = this.#next();
  }
}
