import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

import { refuseInspector } from './refuse-inspector.ts';
import { stopOnSignal } from './stop-on-signal.ts';

// Threads that wait for the system to resolve names: one that it does not answer takes one (docs/decisions/0021).
process.env['UV_THREADPOOL_SIZE'] ??= '64';
// First, because everything else takes time to load, and an orchestrator may stop the worker meanwhile.
refuseInspector();
// What is compiled once need not be again, if the folder can be written.
enableCompileCache(fileURLToPath(new URL('../../../../node_modules/.cache/poker-bridge', import.meta.url)));
const stopping = stopOnSignal();
const { startWorker } = await import('./start-worker.ts');
await startWorker(stopping);
