/** What one compartment holds. */
export interface Share {
  inFlight: number;
}

/** The one rule of everything that is shared: no share holds more than a multiple of what all shares together leave free. */
export class Shares {
  inFlight = 0;

  constructor(readonly size: number) {}

  get free(): number {
    return this.size - this.inFlight;
  }

  /** @param weight how many times what is free the share may hold */
  hasRoomFor({ inFlight }: Share, weight = 1): boolean {
    return inFlight < weight * this.free;
  }

  take(share: Share): void {
    share.inFlight += 1;
    this.inFlight += 1;
  }

  giveBack(share: Share): void {
    share.inFlight -= 1;
    this.inFlight -= 1;
  }
}
