/**
 * Messages that this process moves to quarantine. A copy that kills the process before its original is settled would come
 * back twice, so it is started only then.
 */
export class Moves {
  readonly #moving = new Map<string, Promise<void>>();

  /** @returns to be called when the original is settled */
  begin(id: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#moving.set(id, promise);
    return () => {
      this.#moving.delete(id);
      resolve();
    };
  }

  /** Resolves when the original is settled; `undefined` if it is, or another process moved it. */
  end(id: string): Promise<void> | undefined {
    return this.#moving.get(id);
  }
}
