import type { StopBy } from './start-worker.ts';

// Threads for name resolution: a lookup that the system does not answer blocks one of them
// (docs/decisions/0006).
process.env['UV_THREADPOOL_SIZE'] ??= '64';
// On SIGUSR1 Node.js opens its debugger, which exposes every secret in memory. A listener prevents that.
process.on('SIGUSR1', () => undefined);
// Registered first, because loading the other modules takes time and an orchestrator may stop the worker
// during it.
const stopBy = stopOnSignal();
const { startWorker } = await import('./start-worker.ts');
await startWorker(stopBy);

/**
 * Stops cleanly on the first signal, and immediately on the second. Before there is anything to stop, the
 * first signal exits the process with code 0.
 */
function stopOnSignal(): StopBy {
  let onFirst = async (_signal: NodeJS.Signals): Promise<void> => process.exit(0);
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    void onFirst(signal);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return (logger, stop) => {
    onFirst = async (signal) => {
      logger.info({ event: 'worker.stopping', signal }, 'worker stopping; finishing in-flight commands');
      try {
        await stop();
      } catch (error) {
        logger.error({ event: 'worker.stop-failed', err: error }, 'worker did not stop cleanly');
        process.exit(1);
      }
      logger.info({ event: 'worker.stopped' }, 'worker stopped');
      process.exit(0);
    };
  };
}
