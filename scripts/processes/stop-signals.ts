/** Those that tell a process to stop. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Settles when this process is told to stop, which from then on does not end it: Ctrl-C under npm comes twice, from the
 * terminal and from npm, and the second must not cut off what the first has begun.
 */
export function toldToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve());
  });
}
