import { stopOnSignal } from './stop-on-signal.ts';

// Threads that wait for the system to resolve names: one that it does not answer takes one (docs/decisions/0006).
process.env['UV_THREADPOOL_SIZE'] ??= '64';
// At SIGUSR1 Node.js opens its debugger, and with it every secret in memory; if somebody listens, it does not.
process.on('SIGUSR1', () => undefined);
// First, because everything else takes time to load, and an orchestrator may stop the worker meanwhile.
const stopBy = stopOnSignal();
const { startWorker } = await import('./start-worker.ts');
await startWorker(stopBy);
