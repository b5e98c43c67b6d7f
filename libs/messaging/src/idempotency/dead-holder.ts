/** A worker that lives is back under a new connection long before: it tries after 50 ms, 150 ms and 350 ms. */
export const ABSENCE_MS = 500;

export interface DeadHolderOptions {
  /** Whether a connection stands; `undefined` where nobody knows. */
  readonly hasConnection: (connection: string) => Promise<boolean | undefined>;
  /** How long ago the holder ought to have renewed its claim and did not. */
  readonly overdueMs: () => Promise<number>;
  /** Frees what is claimed over a connection; whether it did. */
  readonly free: (connection: string) => Promise<boolean>;
  /** How long a holder's connection has been gone when the holder counts as dead. */
  readonly absenceMs: number;
  readonly nowMs: () => number;
}

/**
 * Finds out that the holder of a claim is dead before its lease says so: its connection to Redis is gone, which the
 * operating system sees to when a process ends, and it does not come back. A holder that is slow, or that lost
 * another connection, keeps its claim.
 */
export class DeadHolder {
  readonly #options: DeadHolderOptions;
  #gone: { readonly connection: string; readonly sinceMs: number } | undefined;

  constructor(options: DeadHolderOptions) {
    this.#options = options;
  }

  /**
   * Looks once, and frees the claim where its holder is dead.
   *
   * @param connection the holder's, as it stands now
   * @returns whether the claim was freed
   */
  async free(connection: string): Promise<boolean> {
    const { hasConnection, overdueMs, free, absenceMs, nowMs } = this.#options;
    if ((await hasConnection(connection)) !== false) {
      this.#gone = undefined;
      return false;
    }
    if (this.#gone?.connection !== connection) {
      // Whoever starts after a death has not seen the connection go.
      this.#gone = { connection, sinceMs: nowMs() - (await overdueMs()) };
    }
    return nowMs() - this.#gone.sinceMs >= absenceMs && free(connection);
  }
}
