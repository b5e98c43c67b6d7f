import { refuseInspector } from './refuse-inspector.ts';
import { stopOnSignal } from './stop-on-signal.ts';

// First, because everything else takes time to load, and an orchestrator may stop the worker meanwhile.
refuseInspector();
const stopping = stopOnSignal();
const { startWorker } = await import('./start-worker.ts');
await startWorker(stopping);
