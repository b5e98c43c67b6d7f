interface HasDeadline {
  readonly deadline: { readonly atMs: number };
}

/** Those who wait, the earliest deadline first; of equal ones, who came first. */
export class DeadlineQueue<T extends HasDeadline> {
  /** The latest deadline first, so that the next one is taken off the end. */
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  push(item: T): void {
    // Who comes later mostly has the later deadline, and so stands at the beginning.
    const index = this.#items.findIndex(({ deadline }) => deadline.atMs <= item.deadline.atMs);
    this.#items.splice(index === -1 ? this.#items.length : index, 0, item);
  }

  /** Takes the one with the earliest deadline. */
  shift(): T | undefined {
    return this.#items.pop();
  }

  /** Takes the one with the latest deadline. */
  pop(): T | undefined {
    return this.#items.shift();
  }

  remove(item: T): void {
    const index = this.#items.lastIndexOf(item);
    if (index !== -1) this.#items.splice(index, 1);
  }
}
