const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Does work that Ctrl-C, or SIGTERM, brings to an orderly end; the second one ends the process at once.
 *
 * @param work stops soon after its signal is aborted
 */
export async function interruptibly<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort();
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
