/** The one processor of a worker: what it is given is done one after the other. */
export class Processor {
  #freeAtMs = 0;

  /** Resolves when `workMs` of work are done, after all that came before. */
  use(workMs: number): Promise<void> {
    const nowMs = Date.now();
    this.#freeAtMs = Math.max(this.#freeAtMs, nowMs) + workMs;
    return waitMs(this.#freeAtMs - nowMs);
  }
}

export function waitMs(durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, durationMs);
  });
}
