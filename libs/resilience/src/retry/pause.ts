/** Waits; at most until `stopping` aborts. Leaves neither a timer nor a listener behind. */
export function pause(durationMs: number, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopping.aborted) {
      resolve();
      return;
    }
    const end = () => {
      clearTimeout(timer);
      stopping.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, durationMs);
    stopping.addEventListener('abort', end);
  });
}
