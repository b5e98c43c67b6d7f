import { setTimeout as sleep } from 'node:timers/promises';

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

/** @throws the signal's reason */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
