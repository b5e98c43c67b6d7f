/**
 * Waits for an answer for at most `timeoutMs`, because a server that hangs never answers.
 *
 * @param what the beginning of the error "… was not answered in time"
 * @throws Error as the work does, or if it takes longer than `timeoutMs`
 */
export function within<T>(timeoutMs: number, what: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`${what} was not answered in time`));
    // Timers fire before arrived data is read. If this process itself was blocked, it reads the data first.
    const timer = setTimeout(() => setImmediate(late), timeoutMs);
    const settled =
      <V>(settle: (value: V) => void) =>
      (value: V): void => {
        clearTimeout(timer);
        settle(value);
      };
    // The work may still reject after the timeout.
    work.then(settled(resolve), settled(reject));
  });
}

/** Waits for a duration, or until the signal is aborted. Never rejects. */
export function pause(durationMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, durationMs);
    signal?.addEventListener('abort', done);
  });
}
