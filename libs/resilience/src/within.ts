/**
 * Waits for an answer up to a time: a server that hangs never gives it.
 *
 * @param what completes "… was not answered in time"
 * @throws Error as the work does, or if it takes longer than `timeoutMs`
 */
export async function within<T>(timeoutMs: number, what: string, work: Promise<T>): Promise<T> {
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  const late = (): void => reject(new Error(`${what} was not answered in time`));
  // Timers fire before what has arrived is read: a process that was held up itself reads first.
  const timer = setTimeout(() => setImmediate(late), timeoutMs);
  try {
    return await Promise.race([work, overdue]);
  } finally {
    clearTimeout(timer);
    // It may still fail when nobody waits for it.
    work.catch(() => undefined);
  }
}
