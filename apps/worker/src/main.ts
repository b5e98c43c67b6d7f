import type { StopBy } from './start-worker.ts';

// Threads that wait for the system to resolve names: one that it does not answer takes one (docs/decisions/0006).
process.env['UV_THREADPOOL_SIZE'] ??= '64';
// At SIGUSR1 Node.js opens its debugger, and with it every secret in memory; if somebody listens, it does not.
process.on('SIGUSR1', () => undefined);
// First, because everything else takes time to load, and an orchestrator may stop the worker meanwhile.
const stopBy = stopOnSignal();
const { startWorker } = await import('./start-worker.ts');
await startWorker(stopBy);

/**
 * Stops cleanly at the first signal, and at once at the second. Before there is anything to stop, the first signal ends
 * the process, with 0.
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
      logger.info({ signal }, 'worker stopping; finishing in-flight commands');
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
