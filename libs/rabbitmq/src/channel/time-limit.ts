/**
 * Waits for an answer up to a time: a server that hangs never gives it.
 *
 * @param what completes "… was not answered in time"
 * @throws Error as the work does, or if it takes longer than `timeoutMs`
 */
export async function within<T>(timeoutMs: number, what: string, work: Promise<T>): Promise<T> {
  // It may still fail when nobody waits for it.
  work.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    const late = (): void => reject(new Error(`${what} was not answered in time`));
    // Timers fire before what has arrived is read: a process that was held up itself reads first.
    timer = setTimeout(() => setImmediate(late), timeoutMs);
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a while, or until the signal is aborted. Never rejects. */
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
