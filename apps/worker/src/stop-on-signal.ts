import type { Logger } from '#telemetry';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

export interface Stopping {
  /** @param stop finishes the commands in flight; then the process exits with 0 */
  begins(logger: Logger, stop: () => Promise<void>): void;
}

/**
 * Stops cleanly at the first signal, and at once at the second. Before there is anything to stop, the first signal ends
 * the process, with 0.
 */
export function stopOnSignal(): Stopping {
  let onFirst = async (_signal: NodeJS.Signals): Promise<void> => process.exit(0);
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    void onFirst(signal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const begins: Stopping['begins'] = (logger, stop) => {
    onFirst = async (signal) => {
      logger.info({ signal }, 'worker is stopping; commands in flight are finished first');
      try {
        await stop();
      } catch (error) {
        logger.error({ err: error }, 'worker did not stop cleanly');
        process.exit(1);
      }
      logger.info('worker stopped');
      process.exit(0);
    };
  };
  return { begins };
}
