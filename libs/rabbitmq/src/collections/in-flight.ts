/** The place of an item in the order of those in flight. */
export interface Place<T> {
  readonly item: T;
  before: Place<T> | undefined;
  after: Place<T> | undefined;
}

/**
 * What is in flight, in the order in which it came. A `Set` would do, and take a sixth more processor time and half again the
 * memory at full speed: it replaces its table all the time, and a table that V8 has moved to the old generation keeps those
 * after it alive, with what was in flight in them, until the next full collection (docs/decisions/0008).
 */
export class InFlight<T> implements Iterable<Place<T>> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: T): Place<T> {
    const place: Place<T> = { item, before: this.#last, after: undefined };
    if (this.#last) this.#last.after = place;
    else this.#first = place;
    this.#last = place;
    this.#size += 1;
    return place;
  }

  /** @returns whether it was taken */
  leave(place: Place<T>): boolean {
    const { before, after } = place;
    if (!before && this.#first !== place) return false;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
    this.#size -= 1;
    // It may be in the old generation, and would keep those beside it alive.
    place.before = place.after = undefined;
    return true;
  }

  /** The places, of which only the current one may be left meanwhile. */
  *[Symbol.iterator](): Generator<Place<T>, void> {
    for (let place = this.#first, after; place; place = after) {
      ({ after } = place);
      yield place;
    }
  }
}
