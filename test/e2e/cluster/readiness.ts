import { setTimeout as sleep } from 'node:timers/promises';

import type { WorkerProcess } from '../../support/worker-process.ts';

const INTERVAL_MS = 10;

/** Asks a worker again and again whether it is ready. */
export class Readiness {
  /** Status codes, without repeats in a row. */
  readonly changes: number[] = [];
  readonly #asking: Promise<void>;
  #isStopped = false;

  constructor(worker: WorkerProcess) {
    this.#asking = this.#ask(worker);
    // A test that failed meanwhile does not read it.
    this.#asking.catch(() => undefined);
  }

  /** @throws if the worker never answered */
  async stop(): Promise<readonly number[]> {
    this.#isStopped = true;
    await this.#asking;
    return this.changes;
  }

  async #ask(worker: WorkerProcess): Promise<void> {
    while (!this.#isStopped) {
      const { status } = await worker.get('/health/ready');
      if (this.changes.at(-1) !== status) this.changes.push(status);
      await sleep(INTERVAL_MS);
    }
  }
}
