interface HasDeadline {
  readonly deadline: { readonly atMs: number };
}

/** A queue by deadline, the earliest first; equal ones in the order of their arrival. */
export class DeadlineQueue<T extends HasDeadline> {
  /** The latest deadline first, so that the next item is taken off the end. */
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  push(item: T): void {
    // A later item mostly has a later deadline, so its place is near the beginning.
    const index = this.#items.findIndex(({ deadline }) => deadline.atMs <= item.deadline.atMs);
    this.#items.splice(index === -1 ? this.#items.length : index, 0, item);
  }

  /** Takes the item with the earliest deadline. */
  shift(): T | undefined {
    return this.#items.pop();
  }

  /** Takes the item with the latest deadline. */
  pop(): T | undefined {
    return this.#items.shift();
  }

  remove(item: T): void {
    const index = this.#items.lastIndexOf(item);
    if (index !== -1) this.#items.splice(index, 1);
  }
}
