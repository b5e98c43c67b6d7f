import { stopOnSignal } from './stop-on-signal.ts';

// Before everything that takes its time to load: an orchestrator may change its mind meanwhile.
const stopping = stopOnSignal();
const { startWorker } = await import('./start-worker.ts');
await startWorker(stopping);
