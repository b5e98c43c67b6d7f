import { stopOnSignal } from './stop-on-signal.ts';

// First, because everything else takes time to load, and an orchestrator may stop the worker meanwhile.
const stopping = stopOnSignal();
const { startWorker } = await import('./start-worker.ts');
await startWorker(stopping);
