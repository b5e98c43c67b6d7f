/** A user of a shared capacity, such as a compartment. */
export interface Holder {
  inFlight: number;
}

/** Limits each holder of a capacity to a multiple of the free capacity. */
export class SharedCapacity {
  inFlight = 0;

  constructor(readonly size: number) {}

  get free(): number {
    return this.size - this.inFlight;
  }

  /** @param weight the multiple of the free capacity that the holder may use */
  hasRoomFor({ inFlight }: Holder, weight = 1): boolean {
    return inFlight < weight * this.free;
  }

  reserve(holder: Holder): void {
    holder.inFlight += 1;
    this.inFlight += 1;
  }

  release(holder: Holder): void {
    holder.inFlight -= 1;
    this.inFlight -= 1;
  }
}
