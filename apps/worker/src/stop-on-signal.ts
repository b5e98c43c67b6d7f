import type { Logger } from '#telemetry';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Stops in order at the first signal, and at once at the second.
 *
 * @param stop finishes what is in hand; the process ends with 0 when it is done
 */
export function stopOnSignal(logger: Logger, stop: () => Promise<void>): void {
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    logger.info({ signal }, 'worker stops; what is in hand is finished');
    stop().then(
      () => {
        logger.info('worker stopped');
        process.exit(0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'worker did not stop in order');
        process.exit(1);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
}
