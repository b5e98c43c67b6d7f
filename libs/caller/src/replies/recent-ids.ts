/** The last ids that were added, the oldest forgotten first. */
export class RecentIds {
  readonly #limit: number;
  readonly #ids = new Set<string>();

  /** @param limit how many are remembered */
  constructor(limit: number) {
    this.#limit = limit;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size <= this.#limit) return;
    const [oldest = ''] = this.#ids;
    this.#ids.delete(oldest);
  }

  delete(id: string): void {
    this.#ids.delete(id);
  }
}
