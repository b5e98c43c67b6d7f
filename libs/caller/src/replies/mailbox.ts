/**
 * Waits for something until a signal aborts; the work itself continues.
 *
 * @throws the signal's reason; else as the work does
 */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // It may still fail when nobody waits for it.
  work.catch(() => undefined);
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** What has arrived for one call and was not taken yet, the oldest first. */
export class Mailbox<T extends object> {
  #arrived: (T | Error)[] = [];
  #wake = (): void => undefined;

  put(item: T): void {
    this.#arrived.push(item);
    this.#wake();
  }

  /** Puts an item, or what is thrown instead of one, in the place of all that was not taken. */
  replace(item: T | Error): void {
    this.#arrived = [item];
    this.#wake();
  }

  /** The next item, once there is one. @throws what was put instead of it; the signal's reason */
  async next(signal: AbortSignal): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      const item = this.#arrived.shift();
      if (item instanceof Error) throw item;
      if (item) return item;
      await abortable(new Promise<void>((resolve) => (this.#wake = resolve)), signal);
    }
  }
}
