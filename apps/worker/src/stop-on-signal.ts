import type { Logger } from '#telemetry';

export type StopBy = ReturnType<typeof stopOnSignal>;

/**
 * Stops cleanly at the first signal, and at once at the second. Before there is anything to stop, the first signal ends
 * the process, with 0.
 */
export function stopOnSignal() {
  let onFirst = async (_signal: NodeJS.Signals): Promise<void> => process.exit(0);
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    void onFirst(signal);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  /** @param stop finishes the commands in flight; then the process exits with 0 */
  return (logger: Logger, stop: () => Promise<void>): void => {
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
}
